# `make run` and `make test` need only Rust, Node and Debian's packages: they install the rest.

ENGINES := tests/engines/node_modules/.installed

# The console's page, which the program carries. Its stamp goes with the folder when the page is built anew.
PAGE := ui/dist/.built
PAGE_SOURCES := $(shell find ui/src ui/public ui/scripts -type f) $(wildcard ui/*.html ui/*.js ui/*.json ui/*.ts)
NPM_QUIET := --no-audit --no-fund --loglevel=error

PROCESSORS := $(shell getconf _NPROCESSORS_ONLN)

# What drives the page in a browser.
BROWSING := tests/e2e/node_modules/.installed

.PHONY: run test rust e2e app soak check bench package fmt page engines tools

run: $(PAGE)                    # build, start (the app, or without a display `repose serve`), say what to type next
	@scripts/run.sh

test: tools                     # everything that is tested: `rust`, `e2e`, `app`, one after the other
	@scripts/test.sh

# Stories wait for the programs that they drive more than they compute: one more at a time than there are processors.
rust: tools $(PAGE) $(ENGINES)  # the page's units, all crates, and the stories of the command line on the real programs
	npm run --silent --prefix ui check
	npm run --silent --prefix ui test
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$(($(PROCESSORS) + 1))} cargo test --locked --workspace --no-fail-fast

e2e: tools $(PAGE) $(ENGINES) $(BROWSING) # the page in a real browser; pictures go to tests/e2e/shots
	@scripts/setup.sh browser
	cargo build --locked --workspace --bin repose --example model
	node --test --test-concurrency=$(PROCESSORS) $${CI:+--test-reporter=tap} $${STORIES:+--test-name-pattern="$$STORIES"} $(sort $(wildcard tests/e2e/stories/*.js))

app: tools $(PAGE) $(ENGINES)   # the app on a screen and a bus of its own
	@scripts/setup.sh desktop desktop-tests
	cargo test --locked --features desktop --bin repose-desktop --bin repose-window --test desktop --no-fail-fast -- --test-threads=2 $(ONLY)

soak: tools $(PAGE)             # ten minutes of random orders and crashes on fifty repos; prints its seed
	REPOSE_SOAK_SECONDS=$${REPOSE_SOAK_SECONDS:-600} cargo test --locked -p repose-app --test repose soak -- --nocapture
	REPOSE_SOAK_CYCLES=$${REPOSE_SOAK_CYCLES:-1000} cargo test --locked -p repose-app --test repose again_and_again -- --nocapture

check:                          # what CI runs
	.ci/run

bench: tools $(PAGE) $(ENGINES) $(BROWSING) # budgets and ratios of what is packaged, side by side
	cargo bench --locked -p repose-app --profile dist --bench budgets
	@scripts/setup.sh browser beside
	cargo build --locked --profile dist -p repose-app --bin repose --example model
	REPOSE_PROFILE=dist node tests/e2e/bench/page.js
	@scripts/setup.sh desktop desktop-tests
	cargo test --locked --profile dist --features desktop --test desktop -- --ignored --nocapture what_the_app_costs

package: tools $(PAGE)          # a .deb, an .rpm and a .tar.gz, in target/packages
	@scripts/setup.sh desktop packages
	scripts/package.sh

fmt:
	cargo fmt --all

page: $(PAGE)                   # the console's page alone

engines: $(ENGINES)             # the real agent programs that the tests drive

tools:
	@scripts/setup.sh

# Not `npm ci`: it refuses a lock without an optional package of vite's for Windows, which the registry doesn't have.
$(PAGE): $(PAGE_SOURCES) | tools
	npm install --no-save --prefix ui --prefer-offline $(NPM_QUIET)
	npm run --silent --prefix ui build
	@touch $@

# The platform package holds the native program: no install script is needed. Node's age matters only to the
# package's wrapper, which nothing here uses.
$(ENGINES): tests/engines/package-lock.json | tools
	npm ci --prefix tests/engines --ignore-scripts --prefer-offline $(NPM_QUIET)
	@touch $@

$(BROWSING): tests/e2e/package-lock.json | tools
	npm ci --prefix tests/e2e --ignore-scripts --prefer-offline $(NPM_QUIET)
	@touch $@
