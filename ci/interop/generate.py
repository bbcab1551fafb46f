"""Generates DaCe's own code for an SDFG, untouched, and says how to call it.

Usage: generate.py PROGRAM_DIRECTORY cuda|hip OUTPUT_DIRECTORY

PROGRAM_DIRECTORY holds program.sdfg and case.json. OUTPUT_DIRECTORY receives DaCe's folder layout (src, include) and
descriptions: sources.txt, one "device PATH" or "host PATH" per file; headers.txt, where DaCe's headers are; and
call.txt (see run_program.cpp).
"""
import json
import os
import sys
import warnings


def main() -> None:
    warnings.simplefilter("ignore")  # DaCe warns of default block sizes
    import dace
    from dace.config import Config

    program_directory, backend, output = sys.argv[1:4]
    Config.set("compiler", "cuda", "backend", value=backend)
    Config.set("compiler", "cuda", "max_concurrent_streams", value=-1)
    sdfg = dace.SDFG.from_file(os.path.join(program_directory, "program.sdfg"))
    with open(os.path.join(program_directory, "case.json")) as file:
        case = json.load(file)

    sources = []
    for generated in sdfg.generate_code():
        if generated.target_type:
            folder = os.path.join("src", generated.target.target_name, generated.target_type)
        else:
            folder = os.path.join("src", generated.target.target_name)
        if generated.language == "h" or not generated.linkable:
            folder = "include"
        path = os.path.join(output, folder, f"{generated.name}.{generated.language}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(generated.clean_code)
        if generated.linkable:
            sources.append(("device" if generated.target.target_name == "cuda" else "host", path))
    os.makedirs(os.path.join(output, "include"), exist_ok=True)
    with open(os.path.join(output, "include", "hash.h"), "w") as file:
        file.write(f'#define __HASH_{sdfg.name} "{sdfg.hash_sdfg()}"\n')
    with open(os.path.join(output, "headers.txt"), "w") as file:
        file.write(os.path.join(os.path.dirname(dace.__file__), "runtime", "include") + "\n")
    with open(os.path.join(output, "sources.txt"), "w") as file:
        file.writelines(f"{kind} {path}\n" for kind, path in sources)

    arrays = sdfg.arglist()
    symbols = sdfg.signature_arglist(with_types=False, for_call=False)
    with open(os.path.join(output, "call.txt"), "w") as file:
        file.write(f"program {sdfg.name}\n")
        for name in sorted(str(symbol) for symbol in sdfg.free_symbols):
            file.write(f"init {arrays[name].dtype.ctype} {name} {case['arguments'][name]}\n")
        for name in symbols:
            descriptor = arrays[name]
            value = case["arguments"][name]
            if isinstance(descriptor, dace.data.Scalar):
                file.write(f"scalar {descriptor.dtype.ctype} {name} {value}\n")
            else:
                expect = case["expect"].get(name)
                file.write(f"array {descriptor.dtype.ctype} {name} "
                           f"{os.path.abspath(os.path.join(program_directory, value['file']))} "
                           f"{os.path.abspath(os.path.join(program_directory, expect)) if expect else '-'}\n")


if __name__ == "__main__":
    main()
