"""What a scripted model does in an agent framework, knowing nothing but what the framework has shown it of the tool's answers:
it begins a conversation with the agent, finds its id in what it is shown, and goes on by that."""

import re

FIRST = {"message": "I am Ada", "session_id": "new"}


def decide(shown: list[str]) -> dict[str, str] | str:
    """The arguments of its next call of send_message, or its last word; `shown` are the answers so far, as the model sees them."""
    if not shown:
        return FIRST
    if len(shown) > 1:
        return shown[-1]
    found = re.search(r"session_id\W+([0-9a-f]{32})", shown[0])
    return {"message": "who am I?", "session_id": found.group(1)} if found else f"no session_id in {shown[0]}"
