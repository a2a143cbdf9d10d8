//! The names of kinds and other resources in files, as the panel shows them.

use domain_kernel::Labels;

const fn name(spanish: &'static str, english: &'static str) -> Labels {
    Labels { spanish, english }
}

const NAMES: &[(&str, Labels)] = &[
    ("categories", name("Categorías", "Categories")),
    ("tv-guides", name("Guías de TV", "TV guides")),
    ("tv-channels", name("Canales de TV", "TV channels")),
    ("radio-stations", name("Estaciones de radio", "Radio stations")),
    ("movies", name("Películas", "Movies")),
    ("documentaries", name("Documentales", "Documentaries")),
    ("sports", name("Deportes", "Sports")),
    ("concerts", name("Conciertos", "Concerts")),
    ("tv-shows", name("Series", "TV shows")),
    ("seasons", name("Temporadas", "Seasons")),
    ("episodes", name("Episodios", "Episodes")),
    ("alert-messages", name("Mensajes alerta", "Alert messages")),
    ("app-settings", name("Configuración", "Settings")),
    ("audit", name("Auditoría", "Audit log")),
    ("background-images", name("Imágenes de fondo", "Background images")),
    ("backups", name("Copias de seguridad", "Backups")),
    ("channels-base-url", name("URL base de los canales", "Channels base URL")),
    ("credits", name("Movimientos de créditos", "Credit movements")),
    ("duplicates", name("Posibles duplicados", "Possible duplicates")),
    ("epg-matches", name("Revisión de guías", "Guide review")),
    ("epg-matching", name("Comparación de canales y guías", "Comparison of channels and guides")),
    ("guide-channels", name("Canales de las guías", "Channels of guides")),
    ("guide-health", name("Estado de las guías", "Guide health")),
    ("integrator-keys", name("Claves de API", "API keys")),
    ("issue-groups", name("Errores de reproducción por contenido", "Playback errors by content")),
    ("issue-reports", name("Errores de reproducción", "Playback errors")),
    ("links", name("Enlaces", "Links")),
    ("live-profiles", name("Perfiles de TV en directo", "Live TV profiles")),
    ("operations", name("Operaciones masivas", "Bulk operations")),
    ("playlist-changes", name("Cambios de las listas M3U", "Changes of playlists")),
    ("playlist-lines", name("Líneas omitidas de las listas M3U", "Lines left out of playlists")),
    ("playlist-sources", name("Listas M3U", "Playlists")),
    ("radio-stations-base-url", name("URL base de las estaciones de radio", "Radio stations base URL")),
    ("renewal-messages", name("Mensajes de renovación", "Renewal messages")),
    ("renewals", name("Renovaciones", "Renewals")),
    ("requests", name("Peticiones", "Requests")),
    ("reversal-requests", name("Solicitudes de reversión", "Reversal requests")),
    ("saved-views", name("Vistas guardadas", "Saved views")),
    ("schedule", name("Programación", "Schedule")),
    ("sessions", name("Sesiones", "Sessions")),
    ("trash", name("Papelera", "Trash")),
    ("users", name("Usuarios", "Users")),
    ("visits", name("Historial de visitas", "Visit history")),
    ("webhook-deliveries", name("Entregas de webhooks", "Webhook deliveries")),
    ("webhooks", name("Webhooks", "Webhooks")),
];

/// The name of a resource, by its path.
pub(super) fn resource_name(path: &str) -> Option<Labels> {
    NAMES.iter().find(|(known, _)| *known == path).map(|(_, labels)| *labels)
}

#[cfg(test)]
mod tests {
    use domain_operations::Resource;

    use super::*;

    #[test]
    fn each_resource_of_the_audit_log_and_of_operations_has_a_name() {
        for path in domain_audit::resources().into_iter().chain(Resource::PATHS.iter().copied()) {
            assert!(resource_name(path).is_some(), "{path}");
        }
    }
}
