#!/bin/sh
# @NAME@ @VERSION@ for @PLATFORM@: a script with an archive behind it. It unpacks the archive once, into the
# user's cache, and becomes the program in it, so that the host's child is the plugin itself and no parent of it.

# Ctrl-C and a closed terminal reach the whole process group; the host decides what they mean.
trap '' INT HUP

directory=context-providers/@NAME@-@VERSION@-@DIGEST@

fail() {
	echo "[ERROR] @NAME@ cannot unpack itself: $1" >&2
	exit 1
}

is_complete() {
	[ -f "$1/complete" ] && [ -x "$1/@NAME@" ]
}

# Unpacks beside the final place and moves there in one step: of two starts at once both find a whole program,
# and one that was killed halfway leaves nothing that looks like one.
unpack() {
	is_complete "$1" && return 0
	(umask 077 && mkdir -p "${1%/*}") 2>/dev/null || return 1
	new=$(mktemp -d "$1.XXXXXX" 2>/dev/null) || return 1
	if ! tail -n +@LINES@ "$0" | tar -xzf - -C "$new"; then
		rm -rf "$new"
		return 1
	fi
	if ! is_complete "$1" && [ -e "$1" ]; then
		mv "$1" "$new.incomplete" && rm -rf "$new.incomplete"
	fi
	mv "$new" "$1" 2>/dev/null
	# Where another start was first, mv has put this copy inside that one.
	rm -rf "$1/${new##*/}" "$new"
	is_complete "$1"
}

# A directory among the temporary files that only this user can have made.
private() {
	shared=${TMPDIR:-/tmp}/context-providers-$(id -u)
	mkdir -m 700 "$shared" 2>/dev/null
	if [ -d "$shared" ] && [ ! -h "$shared" ] && [ -O "$shared" ]; then
		echo "$shared"
	else
		mktemp -d "${TMPDIR:-/tmp}/context-providers.XXXXXX" || fail "no directory can be written, neither below HOME nor TMPDIR"
	fi
}

cache=${XDG_CACHE_HOME:-${HOME:-/dev/null}/.cache}
if ! unpack "$cache/$directory"; then
	cache=$(private) || exit 1
	unpack "$cache/$directory" || fail "$cache cannot hold it; is the disk full?"
fi
exec "$cache/$directory/@NAME@" "$@"
fail "$cache does not allow programs to run"
