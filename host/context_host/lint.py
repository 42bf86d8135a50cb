"""What the host warns of before a session begins: two things that an operator may have meant, and that cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_host.models import Model
    from context_host.plugins import Plugin


def configuration_warnings(plugins: Sequence[Plugin], models: Iterable[Model]) -> list[str]:
    """One sentence for every warning about ``plugins`` in this order, used with ``models``."""
    return [*_budget_warning(plugins, models), *_order_warnings(plugins)]


def _budget_warning(plugins: Sequence[Plugin], models: Iterable[Model]) -> Iterable[str]:
    # A compactor's cap is for the chain as a whole and takes no room of its own.
    caps = {plugin.name: plugin.cap for plugin in plugins if not plugin.compactor}
    smallest = min(models, key=lambda model: model.effective_ceiling, default=None)
    total = sum(caps.values())
    if smallest and total > smallest.effective_ceiling:
        listed = " + ".join(f"{name} {cap:,}" for name, cap in caps.items())
        yield (
            f"the token budgets add up to {total:,} ({listed}), which is more than the effective ceiling of "
            f"{smallest.effective_ceiling:,} that {smallest.id} has; later providers may get less"
        )


def _order_warnings(plugins: Sequence[Plugin]) -> Iterable[str]:
    for index, plugin in enumerate(plugins):
        later = [other.name for other in plugins[index + 1 :] if not other.dynamic]
        if plugin.dynamic and later:
            yield (
                f"{plugin.name} is dynamic and declared before {', '.join(later)}: whenever it changes, the prompt cache "
                "is lost from there on; declare it last"
            )
