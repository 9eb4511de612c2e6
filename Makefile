# A thin face over the CMake presets (CMakePresets.json) and the scripts. The release command ends up at build/millrace.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: build test large bench interop asan tsan fuzz format install demo arm64 clean

build:
	scripts/bootstrap build
	cmake --preset release
	cmake --build --preset release

test:
	scripts/test

# Files above 4 GiB: 11 GiB of disk, some minutes; not part of test.
large: build
	scripts/bootstrap test
	bash tests/cli/tdf_large.sh build/millrace

asan tsan:
	scripts/bootstrap build test
	cmake --preset $@
	cmake --build --preset $@
	ctest --preset $@

fuzz:
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

bench:
	scripts/bootstrap build bench
	cmake --preset bench
	cmake --build --preset bench
	bench/run

# 77 means: a peer could not be had, said loudly. In CI (CI=true) that is a failure of the script itself.
interop: build
	interop/run build/millrace || test $$? -eq 77
	interop/opentdf/run build/millrace || test $$? -eq 77

arm64:
	scripts/bootstrap build test arm64
	scripts/arm64

demo:
	scripts/demo

format:
	scripts/bootstrap test
	git ls-files '*.cc' '*.h' | xargs clang-format -i

install: build
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*/
