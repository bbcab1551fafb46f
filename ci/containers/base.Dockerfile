# What Assay is built with, on top of a vendor's image (or a plain Debian's). Context: the repository.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
COPY ci/setup /tmp/setup
# A vendor's image brings its own compilers: only a plain one takes the distribution's hipcc.
ARG PACKAGES=--device
RUN apt-get update -qq && bash /tmp/setup ${PACKAGES} && rm -rf /var/lib/apt/lists/* /tmp/setup
