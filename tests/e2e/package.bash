# SPDX-License-Identifier: MIT
# Installs PiShip's tools and its runtime, by component, as a distributor would.
rm -rf "$PREFIX"
for component in Tools Runtime; do
  cmake --install "$BUILD" --prefix "$PREFIX" --component "$component" > /dev/null
done
for file in bin/piship share/man/man1/piship.1 share/bash-completion/completions/piship libexec/piship/piship-assemble lib/cmake/PiShip/PiShipConfig.cmake lib/cmake/PiShip/PiShip.cmake; do
  [ -e "$PREFIX/$file" ] || fail "$file has not been installed"
done
! grep -rlF -e "$SOURCE" -e "$BUILD" "$PREFIX/lib/cmake" || fail "the package names the tree it was built from"
