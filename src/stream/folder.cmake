millrace_folder(stream SOURCES stream/file.cc stream/memory.cc stream/pump.cc stream/slab.cc LINKS base)
millrace_test(stream_test SOURCES stream/file_test.cc stream/memory_test.cc stream/slab_test.cc LINKS stream)
