# Sourced by the other scripts: sets BUN to the pinned Bun, fetched through npm when the machine has another one or none.
BUN_VERSION=1.4.4
tools=$root/.tools

bun_is_pinned() { [ -x "$1" ] && [ "$("$1" --version 2>/dev/null)" = "$BUN_VERSION" ]; }

# The package's own start file needs an install script, which stays off; the binary lies in the platform's package.
bun_from_tools() {
  for candidate in "$tools"/node_modules/@oven/bun-*/bin/bun; do
    if bun_is_pinned "$candidate"; then echo "$candidate"; return; fi
  done
}

BUN=$(command -v bun || true)
if [ -z "$BUN" ] || ! bun_is_pinned "$BUN"; then
  BUN=$(bun_from_tools)
  if [ -z "$BUN" ]; then
    echo "Getting Bun $BUN_VERSION" >&2
    if command -v npm >/dev/null 2>&1; then
      mkdir -p "$tools"
      echo '{"private":true}' > "$tools/package.json"
      npm install --prefix "$tools" --ignore-scripts --no-audit --no-fund "bun@$BUN_VERSION" >/dev/null || exit 1
    elif command -v bun >/dev/null 2>&1; then
      mkdir -p "$tools"
      echo '{"private":true}' > "$tools/package.json"
      (cd "$tools" && bun add --exact --ignore-scripts "bun@$BUN_VERSION" >/dev/null) || exit 1
    else
      echo "Node with npm, or Bun, is needed to get Bun $BUN_VERSION." >&2
      exit 1
    fi
    BUN=$(bun_from_tools)
  fi
  [ -n "$BUN" ] || { echo "Bun $BUN_VERSION could not be installed for this machine." >&2; exit 1; }
  mkdir -p "$tools/bin"
  ln -sf "$BUN" "$tools/bin/bun"
  PATH=$tools/bin:$PATH
fi
export BUN PATH
