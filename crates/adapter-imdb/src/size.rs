//! Sizes of cached answers, in bytes.

use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle};

/// Overhead of a cache entry.
pub(crate) const ENTRY: usize = 256;

fn text(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::capacity)
}

fn texts(texts: &[String]) -> usize {
    texts.iter().map(|text| size_of::<String>() + text.capacity()).sum()
}

pub(crate) fn of_title(title: &FilmTitle) -> usize {
    let FilmTitle { kind, title: name, genres, plot, stars, image, creators, .. } = title;
    size_of::<FilmTitle>()
        + [kind, name, plot, image].into_iter().map(text).sum::<usize>()
        + [genres, stars, creators].into_iter().map(|list| texts(list)).sum::<usize>()
}

pub(crate) fn of_episodes(episodes: &[FilmEpisode]) -> usize {
    let of_one = |episode: &FilmEpisode| {
        let FilmEpisode { id, title, plot, image, .. } = episode;
        size_of::<FilmEpisode>() + [id, title, plot, image].into_iter().map(text).sum::<usize>()
    };
    episodes.iter().map(of_one).sum()
}

pub(crate) fn of_found(found: &[FoundTitle]) -> usize {
    let of_one = |found: &FoundTitle| {
        let FoundTitle { imdb_id, title, year, poster_url } = found;
        size_of::<FoundTitle>() + imdb_id.capacity() + title.capacity() + text(year) + text(poster_url)
    };
    found.iter().map(of_one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_an_answer_includes_its_texts() {
        let title = FilmTitle {
            plot: Some("x".repeat(5_000)),
            genres: vec![String::new(); 1_000],
            ..FilmTitle::default()
        };
        assert!(of_title(&title) >= 5_000 + 1_000 * size_of::<String>());
        let found = FoundTitle {
            imdb_id: "tt1".into(),
            title: "y".repeat(700),
            year: None,
            poster_url: Some("z".repeat(300)),
        };
        assert!(of_found(&vec![found; 10]) >= 10_000);
    }
}
