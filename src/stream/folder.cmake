millrace_folder(stream SOURCES stream/file.cc stream/memory.cc stream/pump.cc stream/slab.cc LINKS base)
