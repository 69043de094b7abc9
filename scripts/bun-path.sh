# Sourced by the other scripts: sets BUN to the pinned Bun, fetched from the package registry when the machine has another
# one or none. What is fetched must be the very package whose hash stands here.
BUN_VERSION=1.4.4
tools=$root/.tools

bun_is_pinned() { [ -x "$1" ] && [ "$("$1" --version 2>/dev/null)" = "$BUN_VERSION" ]; }

# SHA-512 of each platform's package of that version, in base64, as the registry tells it: the package manager compares
# what it downloads with the registry's word, and we compare that word with ours. To be changed with BUN_VERSION.
bun_package_hash() {
  case $1 in
    bun-linux-x64) echo CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog== ;;
    bun-linux-x64-baseline) echo FBU6T21NT+i+rESbi0Z8A8G5xN51c+WZ0v6pIjI6szSzOlqVNv64nf7FPnwNIyxKD1M7Wg5cEobLC/QbzCeLtA== ;;
    bun-linux-x64-musl) echo lEEjNOJJrbGZu2NVcPI4uXdILcpspezWkA8R/Jr0RCGhM6zQd0Y7JBIIKNAmbX59EeWpeEz7Q78iLbpcAUypUA== ;;
    bun-linux-x64-musl-baseline) echo hlAPq5jIndGITsca7kUL/jB53hPSq5wEOEHSe36Z7GnUAiCTJn3aS5JBzmYXO1lLK7gt1vRxUF2Bk6WhelIfxw== ;;
    bun-linux-aarch64) echo ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w== ;;
    bun-linux-aarch64-musl) echo QFd0P+mHJxbZFbUla4MgiE5OwxysHaUIYxL2pPNkpWtaI7v4ShOpr8OhBmsuyB0xn5rv/ZJnPsj2y8+bB9+g/A== ;;
    bun-darwin-aarch64) echo zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw== ;;
    bun-darwin-x64) echo oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw== ;;
    bun-darwin-x64-baseline) echo uzSXckTnNNS7Un1ihiM31R7P5iKndZ65t6Zj3iI72SrfoV2uI97MKM8z1qer2oRHyqXHLUIJTIhj+qT5UeEjrw== ;;
  esac
}

# Whether the lock file in the folder $1 says that the package $2 came with its hash: npm writes an entry over several
# lines, Bun on one.
bun_package_is_ours() {
  hash=$(bun_package_hash "$2")
  [ -n "$hash" ] || return 1
  for lock in "$1/package-lock.json" "$1/bun.lock"; do
    [ -f "$lock" ] || continue
    if grep -A 8 -F "\"node_modules/@oven/$2\": {" "$lock" | grep -qF "\"integrity\": \"sha512-$hash\""; then return 0; fi
    if grep -F "\"@oven/$2\": [" "$lock" | grep -qF "\"sha512-$hash\""; then return 0; fi
  done
  return 1
}

# The package's own start file needs an install script, which stays off; the binary lies in the platform's package. A
# package is judged before anything of it runs.
bun_from_tools() {
  for candidate in "$tools"/node_modules/@oven/bun-*/bin/bun; do
    [ -x "$candidate" ] || continue
    package=$(basename "$(dirname "$(dirname "$candidate")")")
    if ! bun_package_is_ours "$tools" "$package"; then
      echo "The package @oven/$package in $tools is not the one that is pinned in scripts/bun-path.sh." >&2
      continue
    fi
    if bun_is_pinned "$candidate"; then echo "$candidate"; return; fi
  done
}

BUN=$(command -v bun || true)
if [ -z "$BUN" ] || ! bun_is_pinned "$BUN"; then
  BUN=$(bun_from_tools)
  if [ -z "$BUN" ]; then
    echo "Getting Bun $BUN_VERSION" >&2
    rm -rf "$tools/node_modules" "$tools/package-lock.json" "$tools/bun.lock"
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
