"""What a session's context looks like in each model request, without a fake message in the conversation.

`ContextManager` holds the blocks around a conversation; its verbs, kinds and placements are those of the Go
package ``modelcontext``. Where it deliberately differs:

* Ids carry an ordinal, so none comes twice in an epoch, whatever toggles; and a step is committed by the manager
  that prepared it or not at all.
* A step that is committed late still counts: what it carried was journalled and sent, so it becomes what the model
  saw last, and a newer staged block stays staged.
* Staging what is shown already cancels what is staged, so that a change undone before it was sent costs nothing.
* Until the first commit the base can be rebuilt, instead of stacking an update on a base that nobody has seen.
* Every value is frozen: no caller reaches the manager's state, or another caller's messages, through one.
* A section's text cannot forge or close the boundary around it.
* A step tells where a cache mark belongs and at which index each block stands; `context_host.measure` compares two.
* The status can be cleared, and an activated skill cancelled while no committed step carried it.
* Blocks can be anchored: pinned where they first appeared in the conversation, which then only ever grows.
"""

from context_host.projection.manager import ContextManager
from context_host.projection.values import (
    Attachment,
    AttachmentKind,
    Message,
    ModelContext,
    Placement,
    PreparedStep,
    Projected,
    Role,
    SectionView,
    State,
)

__all__ = [
    "Attachment",
    "AttachmentKind",
    "ContextManager",
    "Message",
    "ModelContext",
    "Placement",
    "PreparedStep",
    "Projected",
    "Role",
    "SectionView",
    "State",
]
