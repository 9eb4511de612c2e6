millrace_folder(tdf
  SOURCES
    tdf/assertion_json.cc
    tdf/manifest_reader.cc
    tdf/manifest_text.cc
    tdf/policy.cc
    tdf/root_signature.cc
    tdf/spec_version.cc
  LINKS base stream crypto checksum encoding segment)
millrace_test(tdf_manifest_test SOURCES
    tdf/manifest_vectors_test.cc
  LINKS tdf)
