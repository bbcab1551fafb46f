# Assay built once, with its tests, for all jobs of a pipeline. Context: the repository.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
ARG PRESET
ARG NUM_PROCS=4
COPY . /assay
WORKDIR /assay
RUN cmake --preset ${PRESET} && cmake --build --preset ${PRESET} -j ${NUM_PROCS}
