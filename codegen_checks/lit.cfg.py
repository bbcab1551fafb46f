"""Claims about generated text. CMake writes lit.site.cfg.py with the values: a missing one is fatal."""

import os

import lit.formats

config.name = "codegen"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

for setting in ("assay_tool", "filecheck", "examples", "test_exec_root"):
    value = getattr(config, setting, None)
    if not value:
        lit_config.fatal(f"the lit setting '{setting}' is missing: run the tests through ctest")
    if not os.path.exists(value):
        lit_config.fatal(f"the lit setting '{setting}' names nothing: {value}")

config.substitutions += [
    ("%assay", config.assay_tool),
    ("%FileCheck", config.filecheck),
    ("%examples", config.examples),
]
