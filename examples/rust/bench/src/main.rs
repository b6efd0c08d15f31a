//! Compare the generated functions with the crates `url` and `regex`.
//!
//! Write `../src/uri.rs` first, as described in `../src/main.rs`. The file of the second argument has one URI a
//! line, that of the first argument the pattern of the rule:
//!
//! ```sh
//! abnforge export --to rust --rule URI -o uri.regex
//! cargo run --release uri.regex uris.txt
//! ```

#[path = "../../src/uri.rs"]
mod uri;

use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let files: Vec<String> = std::env::args()
        .skip(1)
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let pattern = regex::Regex::new(files[0].trim_end()).unwrap();
    let lines: Vec<&str> = files[1].lines().collect();
    let candidates: [(&str, &dyn Fn(&str) -> bool); 5] = [
        ("uri::matches", &|text| uri::matches(text)),
        ("uri::check", &|text| uri::check(text).is_ok()),
        ("uri::parts", &|text| black_box(uri::parts(text)).is_some()),
        ("url::Url::parse", &|text| black_box(url::Url::parse(text)).is_ok()),
        ("regex, our pattern", &|text| pattern.is_match(text)),
    ];
    let mut best = [Duration::MAX; 5];
    let mut valid = [0; 5];
    for _ in 0..200 {
        for (i, (_, is_valid)) in candidates.iter().enumerate() {
            let start = Instant::now();
            valid[i] = lines.iter().filter(|line| is_valid(line)).count();
            best[i] = best[i].min(start.elapsed());
        }
    }
    for (i, (name, _)) in candidates.iter().enumerate() {
        let each = best[i].as_nanos() as f64 / lines.len() as f64;
        println!("{name:18} {each:7.1} ns a URI, {} of {} valid", valid[i], lines.len());
    }
}
