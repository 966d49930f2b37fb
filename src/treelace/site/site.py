"""Site: the running system, as one object."""

from __future__ import annotations

from treelace.site.change_verbs import ChangeVerbs
from treelace.site.channel_verbs import ChannelVerbs
from treelace.site.correction_verbs import CorrectionVerbs
from treelace.site.glance_verbs import GlanceVerbs
from treelace.site.maintenance_verbs import MaintenanceVerbs
from treelace.site.noise_verbs import NoiseVerbs
from treelace.site.record_verbs import RecordVerbs
from treelace.site.version_verbs import VersionVerbs
from treelace.site.watch_verbs import WatchVerbs


class Site(
    WatchVerbs,
    CorrectionVerbs,
    GlanceVerbs,
    RecordVerbs,
    ChangeVerbs,
    NoiseVerbs,
    ChannelVerbs,
    VersionVerbs,
    MaintenanceVerbs,
):
    """A folder with `treelace.toml` and a store, and every verb that a person or program has.

    - pages in: check, crawl, replay, import_, add_pages, watch
    - classes: classes, propose, accept, reject, rename, merge, split, columns, try_columns,
      try_history, point_column, undo_edit, repair
    - tables: records, rows, changes, explain, rebuild, sql
    - at a glance: status, sizes, some_pages, fetches, newest_alerts, picture
    - versions: pages, log, show, history, page, diff, compare
    - changed cells: inbox, inbox_done, inbox_reopen, noise_like, keep_noise, drop_noise
    - alerts: test_channel, subscribe, try_rule, rules, alerts, mute, unmute, ack, remove, deliver
    - maintenance: verify, gc, forget, export

    Each answers with a frozen value that prints well in a terminal and in a notebook. Reading needs
    no lock; what adds versions holds the site's writer lock. Also a context manager.
    """
