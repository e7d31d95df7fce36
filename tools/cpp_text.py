# SPDX-License-Identifier: Apache-2.0
"""C++ as the checkers read it: the code alone, without comments and literals."""

import re

_LITERAL_OR_COMMENT = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)
_DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.MULTILINE)


def _blank(match: re.Match) -> str:
    return re.sub(r'[^\n]', ' ', match[0])


def code_only(text: str) -> str:
    """The text with comments and literals blanked; lines and columns stay where they were."""
    return _LITERAL_OR_COMMENT.sub(_blank, text)


def without_directives(code: str) -> str:
    """The code with preprocessor lines blanked."""
    return _DIRECTIVE.sub(_blank, code)
