"""A small S3 for one test: takes PUT requests with aws-chunked bodies, verifies headers, chunks, trailers and signatures, and
stores the payload. Written from the published format, without the code that it tests."""

import base64
import hashlib
import hmac
import http.server
import os
import sys
import urllib.parse
import zlib

ACCESS_KEY, SECRET_KEY, REGION = "AKIDEXAMPLE", "SECRETEXAMPLE", "us-east-1"


class Refused(Exception):
    pass


def need(condition, what, status=400):
    if not condition:
        raise Refused(status, what)


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Request:
    def __init__(self, method, target, headers):
        self.method = method
        self.headers = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
        path, _, query = target.partition("?")
        self.path = urllib.parse.quote(urllib.parse.unquote(path), safe="/~")
        pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
        quote = lambda text: urllib.parse.quote(urllib.parse.unquote(text), safe="~")
        self.query = "&".join(f"{name}={value}" for name, value in sorted((quote(n), quote(v)) for n, v in pairs))
        self.mode = self.headers["x-amz-content-sha256"]

    def authorize(self):
        """Returns the key, the scope and the signature of the headers."""
        given = self.headers.get("authorization")
        if given is None:
            need(self.mode == "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "no authorization", 403)
            return None
        fields = dict(field.strip().split("=", 1) for field in given.removeprefix("AWS4-HMAC-SHA256 ").split(","))
        names = fields["SignedHeaders"].split(";")
        need(names == sorted(names) and "host" in names, "signed headers", 403)
        need(all(name in names for name in self.headers if name.startswith("x-amz-")), "unsigned x-amz header", 403)
        date = self.headers["x-amz-date"]
        scope = f"{date[:8]}/{REGION}/s3/aws4_request"
        need(fields["Credential"] == f"{ACCESS_KEY}/{scope}", "credential", 403)
        canonical = "\n".join([self.method, self.path, self.query,
                               *(f"{name}:{self.headers[name]}" for name in names), "", ";".join(names), self.mode])
        key = ("AWS4" + SECRET_KEY).encode()
        for part in scope.split("/"):
            key = mac(key, part)
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, sha256(canonical.encode())])
        need(mac(key, text).hex() == fields["Signature"], "signature", 403)
        return key, f"{date}\n{scope}", fields["Signature"]


def decode(body, request):
    signing = request.authorize()
    is_signed = "AWS4-HMAC" in request.mode
    need(is_signed == (signing is not None), "mode")
    key, context, previous = signing or (None, None, None)
    payload = b""
    while True:
        line, found, body = body.partition(b"\r\n")
        need(found, "chunk header")
        size, _, extension = line.decode().partition(";")
        need(size == f"{int(size, 16):x}", "chunk size")
        data, body = body[:int(size, 16)], body[int(size, 16):]
        if is_signed:
            text = "\n".join(["AWS4-HMAC-SHA256-PAYLOAD", context, previous, sha256(b""), sha256(data)])
            previous = mac(key, text).hex()
            need(extension == f"chunk-signature={previous}", "chunk signature")
        else:
            need(extension == "", "extension")
        if not data:
            break
        need(body[:2] == b"\r\n", "chunk end")
        body = body[2:]
        payload += data
    lines = body.decode().split("\r\n")
    need(lines[-2:] == ["", ""], "end")
    trailers = [line.split(":", 1) for line in lines[:-2]]
    if is_signed and request.mode.endswith("-TRAILER"):
        name, signature = trailers.pop()
        need(name == "x-amz-trailer-signature", "no trailer signature")
        hashed = "".join(f"{name}:{value}\n" for name, value in sorted(trailers))
        text = "\n".join(["AWS4-HMAC-SHA256-TRAILER", context, previous, sha256(hashed.encode())])
        need(mac(key, text).hex() == signature, "trailer signature")
    announced = request.headers.get("x-amz-trailer", "")
    need(",".join(name for name, _ in trailers) == announced, "trailer names")
    need(bool(announced) == request.mode.endswith("-TRAILER"), "mode and trailer")
    digests = {"x-amz-checksum-crc32": lambda: zlib.crc32(payload).to_bytes(4, "big"),
               "x-amz-checksum-sha256": lambda: hashlib.sha256(payload).digest()}
    for name, value in trailers:
        need(base64.b64encode(digests[name]()).decode() == value, "checksum")
    need(int(request.headers["x-amz-decoded-content-length"]) == len(payload), "decoded length")
    need(request.headers["content-encoding"] == "aws-chunked", "content-encoding")
    return payload


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            payload = decode(body, Request("PUT", self.path, self.headers))
        except Refused as refused:
            status, what = refused.args
            print(self.path, what, flush=True)
            self.answer(status)
            return
        with open(sys.argv[2], "wb") as stored:
            stored.write(payload)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    with open(sys.argv[1] + ".new", "w") as port:
        port.write(str(server.server_port))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()


main()
