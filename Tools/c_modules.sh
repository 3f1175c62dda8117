# Sourced by scripts that build the walker without SwiftPM.

# compile_c_modules FOLDER: the object files of both C modules, and a module map of them.
compile_c_modules() {
    local module source
    mkdir "$1"
    for module in CWeirCore CWeir; do
        printf 'module %s { umbrella header "%s/Sources/%s/include/%s.h" export * }\n' "$module" "$PWD" "$module" "$module"
        for source in Sources/"$module"/*.c; do
            clang -O2 -fPIC -I Sources/CWeirCore/include -I Sources/CWeir/include -c "$source" \
                -o "$1/$(basename "$source" .c).o"
        done
    done >"$1/module.modulemap"
}
