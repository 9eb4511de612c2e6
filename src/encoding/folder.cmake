millrace_folder(encoding SOURCES encoding/base64.cc LINKS base)
