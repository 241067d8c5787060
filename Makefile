# `make run` and `make test` need only Rust, Node and Debian's packages: they install the rest.

ENGINES := tests/engines/node_modules/.installed

.PHONY: run test check bench fmt engines tools

run:                            # build, start, say what to type next
	@scripts/setup.sh
	cargo build --locked --release -p repose-app --bin repose
	@scripts/run.sh

test: tools $(ENGINES)          # everything that is tested
	cargo test --locked --workspace

check:                          # what CI runs
	.ci/run

bench: tools $(ENGINES)         # budgets and ratios, side by side
	cargo bench --locked -p repose-app --bench budgets

fmt:
	cargo fmt --all

engines: $(ENGINES)             # the real agent programs that the tests drive

tools:
	@scripts/setup.sh tests

# The platform package holds the native program: no install script is needed. Node's age matters only to the
# package's wrapper, which nothing here uses.
$(ENGINES): tests/engines/package-lock.json | tools
	npm ci --prefix tests/engines --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@
