#!/usr/bin/env bash
# Installs what does not depend on the machine below PREFIX/share: completions, manifests, examples,
# texts. Manifests and examples only if the extensions they need are among those installed.
set -euo pipefail

cd "$(dirname "$0")/.."
prefix=$1
extensions=$2
gxe=$prefix/bin/gxe

completions() { # shell, file
    install -d "$(dirname "$prefix/share/$2")"
    "$gxe" completions "$1" >"$prefix/share/$2"
}
completions bash bash-completion/completions/gxe
completions zsh zsh/site-functions/_gxe
completions fish fish/vendor_completions.d/gxe.fish

# Whether all libraries of a manifest are installed.
is_complete() {
    local library
    while IFS= read -r library; do
        case " gxf_std $extensions " in
            *" $library "*) ;;
            *) return 1 ;;
        esac
    done < <(sed -n 's|^- .*lib\(.*\)\.so$|\1|p' "$1")
}

install -d "$prefix/share/gxe/manifests"
for manifest in manifests/*.yaml; do
    if is_complete "$manifest"; then
        install -m 644 "$manifest" "$prefix/share/gxe/manifests"
    fi
done
for readme in apps/*/README.md; do
    needed=$(sed -n 's|.*\(manifests/[a-z_]*\.yaml\).*|\1|p' "$readme" | head -n 1)
    folder=$(dirname "$readme")
    # The manifest that it names, or its own.
    if [ -n "$needed" ]; then
        [ -f "$prefix/share/gxe/$needed" ] || continue
    else
        [ -f "$folder/manifest.yaml" ] && is_complete "$folder/manifest.yaml" || continue
    fi
    find "$folder" -type f -exec install -D -m 644 {} "$prefix/share/gxe/{}" \;
done
install -d "$prefix/share/gxe/examples"
install -m 644 runtime/core/examples/embed.* "$prefix/share/gxe/examples"
install -d "$prefix/share/doc/gxe"
for file in LICENSE README.md CHANGELOG.md THIRD-PARTY.md; do
    if [ -f "$file" ]; then install -m 644 "$file" "$prefix/share/doc/gxe"; fi
done
