"""The report is a document that people write; what is measured stands between marker lines and is replaced there."""

import re


class NoPlace(Exception):
    """The document has no markers for a block."""


def replace_blocks(document, blocks):
    """Returns the document with the contents of the named blocks replaced; every other byte stays."""
    for name, text in blocks.items():
        begin, end = f"<!-- measured: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
        if len(pattern.findall(document)) != 1:
            raise NoPlace(f"the report needs the lines {begin} and {end}, once")
        document = pattern.sub(lambda _, text=text: f"{begin}\n\n{text}\n\n{end}", document)
    return document
