# SPDX-License-Identifier: Apache-2.0
"""A source file that is missing in its catalogue stops the configure step."""

import project

options = project.arguments()
source = options.scratch / "source"
members = source / "members"
members.mkdir(parents=True, exist_ok=True)
(source / "CMakeLists.txt").write_text(f"""\
cmake_minimum_required(VERSION 3.25)
project(members CXX)
include({(options.source / "cmake" / "Catalogue.cmake").as_posix()})
add_library(members)
add_subdirectory(members)
""")
for name in ("first", "second"):
    (members / f"{name}.cpp").write_text(f"void register_{name}() {{}}\n")


def configured_with(names, expected_status):
    (members / "CMakeLists.txt").write_text(f"sextant_catalogue(members things {names})\n")
    return project.configure(options, source, options.scratch / "build",
                             expected_status=expected_status)


configured_with("first second", expected_status=0)
listed = (options.scratch / "build" / "generated" / "catalogue_things.inc").read_text()
project.check(listed == "X(first)\nX(second)\n", "a complete catalogue lists its members")
message = configured_with("first", expected_status=1)
project.check("things: not in the catalogue: second" in message,
              "a file that is not in the catalogue is named")
