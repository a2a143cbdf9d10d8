//! Notes on users, and snoozed customers (docs/spec/users.md#notes). Notes are visible to all who
//! see the user, except for the user.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Enumeration, Id, Page, Permission, RoleCode, Subject, Violation,
    Violations,
};
use domain_users::{NewNote, NewSnooze, NoteKind, Snooze, User, UserNote, manages};
use ports::{Edit, Inserted, UserNoteInsert, UserNoteRepository};

use crate::{
    Calendar, Error, ListShape, UserService, body::parse, idempotency::idempotency_key, read_list_query,
};

const UPDATE: Permission = Permission::new(Subject("USER"), Action::Update);

/// An added note, and whether the response is a repetition.
#[derive(Debug)]
pub struct NoteAdded {
    pub note: UserNote,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

/// Use cases of notes.
pub struct UserNoteService {
    notes: Arc<dyn UserNoteRepository>,
    calendar: Calendar,
    new_notes: DraftReader<NewNote>,
    snoozes: DraftReader<NewSnooze>,
}

impl UserNoteService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id"], filters: &[] }
    }

    pub fn new(notes: Arc<dyn UserNoteRepository>, calendar: Calendar) -> Self {
        Self { notes, calendar, new_notes: DraftReader::new(), snoozes: DraftReader::new() }
    }

    /// Time for decisions about notes.
    pub fn now(&self) -> DateTime<Utc> {
        self.calendar.now()
    }

    /// The day of a moment in the service's time zone.
    pub fn day(&self, moment: DateTime<Utc>) -> NaiveDate {
        self.calendar.local(moment).date()
    }

    /// A page of the notes on a user, newest first.
    pub async fn list(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<UserNote>>, Error> {
        let user = about(actor, users.find(actor, username).await?)?;
        let query = read_list_query(&Self::list_shape(), pairs)?;
        Ok(self.notes.list(&user.username, &query).await?)
    }

    /// Adds a note, and optionally snoozes the customer.
    pub async fn add(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<NoteAdded, Error> {
        let user = self.managed(users, actor, username).await?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, &format!("users/{}/notes", user.username.key()), &json);
        // A replay is answered even if its days are in the past by now.
        if let Some(once) = &once
            && let Some(before) = self.notes.answered(once).await?
        {
            return added(before);
        }
        let new = self.new_notes.read(json, &self.calendar.today())?.into_inner();
        if new.snoozed_until.is_some() {
            require_customer(&user, "snoozedUntil")?;
        }
        let contacted_on = match new.kind {
            NoteKind::Note => None,
            NoteKind::Contact => Some(new.contacted_on.unwrap_or(self.calendar.today().0)),
        };
        let note = UserNoteInsert {
            kind: new.kind,
            text: new.text,
            contacted_on,
            snoozed_until: new.snoozed_until.map(|day| self.calendar.beginning_of(day)),
        };
        match self.notes.add(&user.username, &note, &self.edit_by(actor), once).await? {
            None => Err(Error::NoSuchUser(username.to_owned())),
            Some(inserted) => added(inserted),
        }
    }

    /// Deletes a recent note of the actor.
    pub async fn delete(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        id: Id,
    ) -> Result<(), Error> {
        let user = self.managed(users, actor, username).await?;
        let note = self.notes.find(&user.username, id).await?;
        let note = note.ok_or(Error::NoSuch { what: "user-notes", id })?;
        if !note.may_be_deleted_by(&actor.username, self.calendar.now()) {
            return Err(Error::Forbidden);
        }
        Ok(self.notes.delete(&user.username, &note, &self.edit_by(actor)).await?)
    }

    /// End of a customer's snooze.
    pub async fn snooze(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
    ) -> Result<Option<Snooze>, Error> {
        let user = about(actor, users.find(actor, username).await?)?;
        Ok(self.notes.snooze(&user.username, self.calendar.now()).await?)
    }

    /// Snoozes a customer until a day.
    pub async fn begin_snooze(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        body: &[u8],
    ) -> Result<(), Error> {
        let user = self.managed(users, actor, username).await?;
        let snooze = self.snoozes.read(parse(body)?, &self.calendar.today())?.into_inner();
        require_customer(&user, "until")?;
        self.set_snooze(actor, &user, Some(self.calendar.beginning_of(snooze.until))).await
    }

    /// Ends the snooze of a customer.
    pub async fn end_snooze(&self, users: &UserService, actor: &Actor, username: &str) -> Result<(), Error> {
        let user = self.managed(users, actor, username).await?;
        self.set_snooze(actor, &user, None).await
    }

    async fn set_snooze(
        &self,
        actor: &Actor,
        user: &User,
        until: Option<DateTime<Utc>>,
    ) -> Result<(), Error> {
        if self.notes.set_snooze(&user.username, until, &self.edit_by(actor)).await? {
            return Ok(());
        }
        Err(Error::NoSuchUser(user.username.to_string()))
    }

    /// A user whom the actor manages.
    async fn managed(&self, users: &UserService, actor: &Actor, username: &str) -> Result<User, Error> {
        actor.require(UPDATE)?;
        let user = about(actor, users.find(actor, username).await?)?;
        if manages(actor.role, user.role) { Ok(user) } else { Err(Error::Forbidden) }
    }

    fn edit_by(&self, actor: &Actor) -> Edit {
        Edit { by: Some(actor.username.clone()), at: self.calendar.now(), origin: actor.origin }
    }
}

/// Users neither read nor write notes on themselves.
fn added(inserted: Inserted<UserNote>) -> Result<NoteAdded, Error> {
    match inserted {
        Inserted::New(note) => Ok(NoteAdded { note, replayed: false }),
        Inserted::Replayed(note) => Ok(NoteAdded { note, replayed: true }),
        Inserted::KeyReused => Err(Error::IdempotencyMismatch),
    }
}

fn about(actor: &Actor, user: User) -> Result<User, Error> {
    if actor.username == user.username { Err(Error::Forbidden) } else { Ok(user) }
}

/// Only customers have renewals.
fn require_customer(user: &User, field: &'static str) -> Result<(), Violations> {
    if user.role == RoleCode::App {
        return Ok(());
    }
    Err(Violations(vec![Violation::new(field, Code::WrongRole).with("expected", RoleCode::App.code())]))
}
