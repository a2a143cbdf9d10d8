//! Titles of episodes in reports: `Show S1E2: Title`.

/// The title of an episode; its season and number are a pair.
pub fn episode_title(show: &str, (season, number): (i32, i32), title: &str) -> String {
    format!("{show} S{season}E{number}: {title}")
}

/// The title of the show, the season and the number in the title of an episode.
pub fn parse_episode_title(title: &str) -> Option<(&str, i32, i32)> {
    let numbers = |text: &str| {
        let (season, rest) = text.split_once('E')?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        Some((season.parse::<i32>().ok()?, rest[..end].parse::<i32>().ok()?))
    };
    title.match_indices(" S").find_map(|(at, _)| {
        let (season, episode) = numbers(title.get(at + 2..)?)?;
        Some((&title[..at], season, episode))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_is_named_by_its_show_and_its_place() {
        assert_eq!(parse_episode_title("Friends S10E4: The One with the Cake"), Some(("Friends", 10, 4)));
        assert_eq!(parse_episode_title("Los Simpson S1E2"), Some(("Los Simpson", 1, 2)));
        assert_eq!(parse_episode_title("The Show SE S2E13: S1E1"), Some(("The Show SE", 2, 13)));
        for other in ["Friends", "Friends S10", "Friends SxE1", "Friends S1E", "S1E1"] {
            assert_eq!(parse_episode_title(other), None, "{other}");
        }
    }

    #[test]
    fn the_title_of_an_episode_is_parsed() {
        let title = episode_title("Los Pérez", (2, 3), "Piloto");
        assert_eq!(title, "Los Pérez S2E3: Piloto");
        assert_eq!(parse_episode_title(&title), Some(("Los Pérez", 2, 3)));
    }
}
