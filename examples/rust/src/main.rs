//! Validate the arguments as URIs, and show their hosts.
//!
//! Write the module `uri` first:
//!
//! ```sh
//! abnforge export --to code-rust --rule URI --part scheme --part userinfo --part host --part port \
//!     --part path-abempty --part query --part fragment -o src/uri.rs
//! cargo run https://example.org/
//! ```

mod uri;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for text in std::env::args().skip(1) {
        match uri::check(&text) {
            Ok(()) => {
                let host = uri::parts(&text).and_then(|parts| parts.host);
                println!("{text}: valid, host {:?}", host.map(|host| &text[host]));
            }
            Err(error) => {
                println!("{text}: {error}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
