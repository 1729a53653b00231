"""What the host's own tools may do to the world; a tool in neither list is unknown.

Every `mcp__server__tool` is unknown: its name says nothing about what it does.
"""

__all__ = ["MUTATORS", "READERS"]

MUTATORS = frozenset(
    {
        "Bash",
        "Edit",
        "KillShell",
        "MultiEdit",
        "NotebookEdit",
        "Task",
        "TaskStop",
        "Write",
    }
)

READERS = frozenset(
    {
        "AskUserQuestion",
        "BashOutput",
        "EnterPlanMode",
        "ExitPlanMode",
        "Glob",
        "Grep",
        "LS",
        "ListMcpResourcesTool",
        "NotebookRead",
        "Read",
        "ReadMcpResourceTool",
        "Skill",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskUpdate",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
    }
)
