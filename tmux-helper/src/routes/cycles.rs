//! Routes that lead back to where they began.

use super::route::{Route, Target};

/// The loops among the routes, each once, as the names on the way: `review → fix → review`. Only
/// what the names of panes say is a loop; what else may become one, the hop limit ends.
pub fn cycles(routes: &[Route]) -> Vec<String> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    for start in 0..routes.len() {
        walk(routes, start, &mut vec![start], &mut found);
    }
    let name = |n: &usize| routes.get(*n).map_or("", |route| route.name.as_str());
    let text = |path: &Vec<usize>| {
        let names: Vec<&str> = path.iter().chain(path.first()).map(name).collect();
        names.join(" → ")
    };
    found.iter().map(text).collect()
}

/// Goes on from the last route of `path`. A loop is found from its lowest route alone.
fn walk(routes: &[Route], start: usize, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    let Some(last) = path.last().and_then(|n| routes.get(*n)) else { return };
    for (next, route) in routes.iter().enumerate().skip(start) {
        if !leads_to(last, route) {
            continue;
        }
        if next == start {
            found.push(path.clone());
        } else if !path.contains(&next) {
            path.push(next);
            walk(routes, start, path, found);
            path.pop();
        }
    }
}

fn leads_to(route: &Route, next: &Route) -> bool {
    let Target::Pane { pane, .. } = &route.to else { return false };
    next.from.pane.as_ref() == Some(pane) || next.from.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::{Filter, Limits};

    fn route(line: &str) -> Route {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, from, to] = words[..] else { return route("x x x") };
        let pane = Some(from.to_owned()).filter(|from| from != "*");
        Route {
            name: name.to_owned(),
            from: Filter { pane, ..Filter::default() },
            on: Vec::new(),
            to: Target::Pane { pane: to.to_owned(), shell: false },
            text: None,
            limits: Limits::default(),
        }
    }

    #[test]
    fn loops_are_found_once_each() {
        for (lines, expected) in [
            (vec!["a one two", "b two three"], vec![]),
            (vec!["a one two", "b two one"], vec!["a → b → a"]),
            (vec!["a one one"], vec!["a → a"]),
            (vec!["a one two", "b two three", "c three one"], vec!["a → b → c → a"]),
            (vec!["a one two", "b two one", "c one three"], vec!["a → b → a"]),
            (vec!["a * two"], vec!["a → a"]),
        ] {
            let routes: Vec<Route> = lines.iter().map(|line| route(line)).collect();
            assert_eq!(cycles(&routes), expected, "{lines:?}");
        }
    }
}
