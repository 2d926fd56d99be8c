// Types only.
