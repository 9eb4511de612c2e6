#!/usr/bin/env python3
"""manifest_schema_test.py SAMPLES SCHEMAS: what the program SAMPLES prints, against the published JSON schemas.

The schemas contradict the SDKs, and each other, in the places below (docs/formats/tdf.md, "Schemas"). There the errors
must be exactly these.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

# Schema -> {(where in the manifest, rule that fails, value that it names)}, the same for every sample that has the place.
KNOWN = {
    "spec-manifest.schema.json": {
        ("payload", "required", "tdf_spec_version"),
        ("encryptionInformation/keyAccess/*/type", "enum", "ec-wrapped"),
    },
}
NAMES = [
    "go-sdk-manifest.schema.json",
    "go-sdk-manifest-lax.schema.json",
    "xtest-manifest.schema.json",
    "spec-manifest.schema.json",
]


def errors(validator, manifest):
    found = set()
    for error in validator.iter_errors(manifest):
        place = "/".join("*" if isinstance(step, int) else step for step in error.absolute_path)
        if error.validator == "required":
            named = next(name for name in error.validator_value if name not in error.instance)
        else:
            named = error.instance
        found.add((place, error.validator, named))
    return found


def main():
    program, folder = sys.argv[1:]
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode("ascii").splitlines()
    manifests = [json.loads(line) for line in lines]
    assert len(manifests) == 12, len(manifests)
    failures = 0
    for name in NAMES:
        schema = json.loads((pathlib.Path(folder) / name).read_text())
        validator = jsonschema.validators.validator_for(schema)(schema)
        seen = set()
        for number, manifest in enumerate(manifests):
            found = errors(validator, manifest)
            seen |= found
            for error in found - KNOWN.get(name, set()):
                print(f"{name}: sample {number}: {error}")
                failures += 1
        for error in KNOWN.get(name, set()) - seen:
            print(f"{name}: no longer an error: {error}")
            failures += 1
        # A schema that takes everything proves nothing.
        broken = json.loads(lines[0])
        broken["encryptionInformation"]["method"].pop("algorithm")
        broken["payload"]["url"] = 7
        if not errors(validator, broken) - KNOWN.get(name, set()):
            print(f"{name}: a broken manifest passes")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
