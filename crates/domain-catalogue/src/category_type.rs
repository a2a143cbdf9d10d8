//! The types of categories (docs/spec/content-types.md#categories).

use domain_kernel::enumeration;

enumeration! {
    /// The kind of content in a category.
    pub enum CategoryType {
        Movie = "MOVIE" ("Películas", "Movies"),
        TvShow = "TV_SHOW" ("Series", "TV shows"),
        Documentary = "DOCUMENTARY" ("Documentales", "Documentaries"),
        Sports = "SPORTS" ("Deportes", "Sports"),
        Music = "MUSIC" ("Música", "Music"),
        TvChannel = "TV_CHANNEL" ("Canales de TV", "TV channels"),
    }
}
