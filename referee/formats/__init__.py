"""Games of Kriegspiel in other programs' formats, both ways; `referee.formats.table` lists them, one file each.

Whatever is read is told to a referee again, move by move, so that a file that no game can have written is refused
with a line that says where. Whatever a format cannot hold is named by the function that leaves it out.
"""
