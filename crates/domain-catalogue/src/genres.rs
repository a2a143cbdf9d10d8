//! Genres, one list per kind that has them.

use domain_kernel::enumeration;

enumeration! {
    /// The genre of a film: both readings of catalogue.md section 3 together, 21 values (decisions.md).
    pub enum MovieGenre {
        Action = "ACTION" ("Acción", "Action"),
        Adventure = "ADVENTURE" ("Aventura", "Adventure"),
        Animation = "ANIMATION" ("Animación", "Animation"),
        Biography = "BIOGRAPHY" ("Biografía", "Biography"),
        Comedy = "COMEDY" ("Comedia", "Comedy"),
        Crime = "CRIME" ("Crimen", "Crime"),
        Documentary = "DOCUMENTARY" ("Documental", "Documentary"),
        Drama = "DRAMA" ("Drama", "Drama"),
        Family = "FAMILY" ("Familiar", "Family"),
        Fantasy = "FANTASY" ("Fantasía", "Fantasy"),
        History = "HISTORY" ("Historia", "History"),
        Horror = "HORROR" ("Terror", "Horror"),
        Musical = "MUSICAL" ("Musical", "Musical"),
        Music = "MUSIC" ("Música", "Music"),
        Mystery = "MYSTERY" ("Misterio", "Mystery"),
        Romance = "ROMANCE" ("Romance", "Romance"),
        SciFi = "SCI_FI" ("Ciencia ficción", "Science fiction"),
        Thriller = "THRILLER" ("Suspenso", "Thriller"),
        TvMovie = "TV_MOVIE" ("Película de TV", "TV movie"),
        War = "WAR" ("Bélica", "War"),
        Western = "WESTERN" ("Western", "Western"),
    }
}
