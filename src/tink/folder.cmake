millrace_folder(tink
  SOURCES tink/key_choice.cc tink/stream_cipher.cc tink/streaming_aead.cc
  LINKS base stream crypto encoding segment)
