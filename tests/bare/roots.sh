# Sourced by tests/bare.sh --package: builds the package in a copy of the root, also of the released versions before
# this one, and has tests/bare/package.sh install it in the root itself.

# A released version is the commit before the one that froze it.
older=()
present=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$checkout/madtree/__init__.py")
while IFS= read -r path; do
    frozen_by=$(git -C "$checkout" log --format=%H --diff-filter=A -- "$path" | tail -1)
    version=$(basename "$path" .sql)
    version=${version#madtree--}
    if [ "$version" != "$present" ] && [ -n "$frozen_by" ] && git -C "$checkout" rev-parse --quiet --verify "$frozen_by^" >/dev/null; then
        mkdir -p "$root/older/$version"
        git -C "$checkout" archive "$frozen_by^" | tar -x --no-same-owner -C "$root/older/$version"
        older+=("$version")
    fi
done < <(cd "$checkout" && ls migrations/released/madtree--*.sql)

rm -rf --one-file-system "$root.build" "$root/packages"
cp -a "$root" "$root.build"
furnish "$root.build"
furnish "$root"
began=$SECONDS
within "$root.build" bash /madtree/tests/bare/build.sh "$package" ${older[@]+"${older[@]}"}
echo "$package $release: built in $((SECONDS - began)) s"
cp -r "$root.build/packages" "$root/packages"
umount -R -l "$root.build"/{proc,dev}
rm -rf --one-file-system "$root.build" "$root/older"
inside bash /madtree/tests/bare/package.sh "$package" ${older[@]+"${older[@]}"}
