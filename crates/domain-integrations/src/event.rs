//! The events that a webhook can subscribe to.

use domain_kernel::enumeration;

enumeration! {
    /// Type of an event.
    pub enum EventType {
        /// A viewer reported a problem.
        IssueOpened = "ISSUE_OPENED" ("Error de reproducción reportado", "Playback error reported"),
        /// A reported problem was resolved.
        IssueResolved = "ISSUE_RESOLVED" ("Error de reproducción resuelto", "Playback error resolved"),
        /// A subscription expires within the coming days.
        UserExpiring = "USER_EXPIRING" ("Suscripción a punto de vencer", "Subscription about to expire"),
        /// A subscription has expired.
        UserExpired = "USER_EXPIRED" ("Suscripción vencida", "Subscription expired"),
        /// A user was registered.
        UserRegistered = "USER_REGISTERED" ("Usuario registrado", "User registered"),
        /// A user who was ACTIVE was suspended or deactivated.
        UserSuspended = "USER_SUSPENDED" ("Usuario suspendido o desactivado", "User suspended or deactivated"),
        /// A user is ACTIVE again.
        UserReactivated = "USER_REACTIVATED" ("Usuario reactivado", "User reactivated"),
        /// The expiration of a subscription was changed, or the subscription started.
        UserExpirationChanged = "USER_EXPIRATION_CHANGED" ("Fecha de vencimiento modificada", "Expiration changed"),
        /// An agent has fewer than 12 credits for sale.
        UserLowStock = "USER_LOW_STOCK" ("Agente con pocos créditos para venta", "Agent low on credits for sale"),
        /// An agent requested the reversal of a sale by an admin.
        ReversalRequested = "REVERSAL_REQUESTED" ("Reversión solicitada", "Reversal requested"),
        /// Credits were added or deducted.
        CreditsMoved = "CREDITS_MOVED" ("Movimiento de créditos", "Credits moved"),
        /// An item was added to the catalogue.
        ItemCreated = "ITEM_CREATED" ("Contenido creado", "Item created"),
        /// An item of the catalogue was changed.
        ItemChanged = "ITEM_CHANGED" ("Contenido modificado", "Item changed"),
        /// An item was removed from the catalogue.
        ItemRemoved = "ITEM_REMOVED" ("Contenido eliminado", "Item removed"),
        /// A link was down in three consecutive probes, or is flapping.
        LinkDown = "LINK_DOWN" ("Enlace caído", "Link down"),
        /// A link that was down plays again.
        LinkUp = "LINK_UP" ("Enlace recuperado", "Link up again"),
        /// The last playing link of a channel is down.
        ChannelWithoutLink = "CHANNEL_WITHOUT_LINK" ("Canal sin señales que se reproduzcan", "Channel without a stream that plays"),
        /// A guide has become stale.
        GuideStale = "GUIDE_STALE" ("Guía atrasada", "Guide out of date"),
        /// A playlist differs from the last read.
        PlaylistChanged = "PLAYLIST_CHANGED" ("Lista M3U con cambios", "Playlist changed"),
        /// Test of the receiver, sent by the test button only.
        Test = "TEST" ("Prueba", "Test"),
    }
}

impl EventType {
    /// Whether a webhook can subscribe to it.
    pub const fn can_be_subscribed_to(self) -> bool {
        !matches!(self, Self::Test)
    }
}

enumeration! {
    /// Stage of an expiring subscription: each expiration is notified once per stage.
    pub enum EventStage {
        /// About to expire.
        Expiring = "EXPIRING" ("A punto de vencer", "About to expire"),
        /// Expired.
        Expired = "EXPIRED" ("Vencida", "Expired"),
    }
}
