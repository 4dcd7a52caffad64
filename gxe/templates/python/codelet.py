"""The codelet @Name@."""

import gxe


@gxe.codelet(outputs=())
def @name@(context, greeting="tick"):
    """Called whenever the conditions of its entity allow; see the book's page on Python."""
    print(f"@Name@: {greeting} {context.count}")
