//! Profiles of published playlists. They are few compared with channels: their list needs no index.

mod channels;
mod guide;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, Id, ListQuery, Page, Version, difference, fold};
use domain_live::{
    profile::{LiveProfile, LiveProfileDraft},
    programme::KeptProgramme,
};
use garde::Valid;
use ports::{
    ChannelPlace, ChannelSelection, Edit, GuidedChannel, LiveProfileRepository, ProfileSecret, ProfileUse,
    SelectedChannel, StoreError, Written,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QueryResult, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query},
};

use crate::{
    Database,
    audit::{self as recorded, Record, delete_recorded, fields_of, record_one},
    db::{
        error::{db_error, store_error},
        sql::Sql,
        transaction::Transaction,
        values::{broken, member},
    },
    entities::{
        live_profiles::{ActiveModel, Column, Entity, Model},
        users,
    },
    list::{AccessPath, ListRequest, ListTable, Order, page, rows_of_list},
};

/// Repository of profiles.
#[derive(Debug, Clone)]
pub struct SeaOrmLiveProfiles(pub Database);

/// Columns of a profile: its row, and the names of its recipient.
const COLUMNS: &str = "p.*, (SELECT u.username FROM users u WHERE u.id = p.user_id) AS username, \
     (SELECT k.name FROM integrator_keys k WHERE k.id = p.key_id) AS key_name";

fn profile(row: &QueryResult) -> Result<LiveProfile, StoreError> {
    let name = |column: &str| row.try_get::<Option<String>>("", column).map_err(store_error);
    let (username, key_name) = (name("username")?, name("key_name")?);
    let row = Model::from_query_result(row, "").map_err(store_error)?;
    Ok(LiveProfile {
        id: row.id,
        version: row.version,
        draft: LiveProfileDraft {
            name: row.name,
            username,
            key_id: row.key_id,
            categories: serde_json::from_str(&row.categories).map_err(broken)?,
            adult_content: row.adult_content,
            only_playing: row.only_playing,
            order: member(&row.channel_order)?,
            numbering: member(&row.numbering)?,
            guide_days: u8::try_from(row.guide_days).map_err(broken)?,
            calls_per_minute: u32::try_from(row.calls_per_minute).map_err(broken)?,
        },
        key_name,
        hint: row.hint,
        updated_by: row.updated_by,
        created_date: row.created_date,
        updated_date: row.updated_date,
        revoked_date: row.revoked_date,
        last_used_date: row.last_used_date,
        calls: row.calls,
    })
}

async fn find_where(
    connection: &impl ConnectionTrait,
    condition: Expr,
) -> Result<Option<LiveProfile>, StoreError> {
    let select = Query::select().expr(Expr::cust(COLUMNS)).from_as(Entity, "p").and_where(condition).take();
    connection.query_one(&select).await.map_err(store_error)?.as_ref().map(profile).transpose()
}

async fn find_in(connection: &impl ConnectionTrait, id: Id) -> Result<Option<LiveProfile>, StoreError> {
    find_where(connection, Expr::col(("p", Column::Id)).eq(id)).await
}

/// The columns set by a draft.
async fn row(
    transaction: &Transaction,
    draft: &LiveProfileDraft,
    edit: &Edit,
) -> Result<ActiveModel, StoreError> {
    let user = match &draft.username {
        None => None,
        Some(username) => {
            let find = users::Entity::find().select_only().column(users::Column::Id);
            let find = find.filter(users::Column::UsernameKey.eq(username.to_lowercase()));
            let id: Option<Id> = find.into_tuple().one(transaction).await.map_err(store_error)?;
            Some(id.ok_or_else(|| StoreError::Dangling(format!("there is no user {username}")))?)
        }
    };
    Ok(ActiveModel {
        name: Set(draft.name.clone()),
        name_key: Set(fold(&draft.name)),
        user_id: Set(user),
        key_id: Set(draft.key_id),
        categories: Set(serde_json::to_string(&draft.categories).map_err(broken)?),
        adult_content: Set(draft.adult_content),
        only_playing: Set(draft.only_playing),
        channel_order: Set(draft.order.code().to_owned()),
        numbering: Set(draft.numbering.code().to_owned()),
        guide_days: Set(draft.guide_days.into()),
        calls_per_minute: Set(draft.calls_per_minute.into()),
        ..changed_by(edit)
    })
}

fn changed_by(edit: &Edit) -> ActiveModel {
    ActiveModel {
        updated_by: Set(edit.by.as_ref().map(ToString::to_string).unwrap_or_default()),
        updated_date: Set(edit.at),
        ..ActiveModel::default()
    }
}

fn is_expected(id: Id, expected: Option<Version>) -> Condition {
    Condition::all().add(Column::Id.eq(id)).add_option(expected.map(|version| Column::Version.eq(version)))
}

/// Audit record of a profile: its draft, without secret or hash.
fn record_of(action: AuditAction, profile: &LiveProfile, diff: FieldDiff) -> Record {
    Record {
        action,
        resource: "live-profiles",
        item: profile.id.to_string(),
        title: profile.draft.name.clone(),
        version: Some(profile.version),
        diff,
    }
}

/// Replaces one category by another in all profiles.
pub(crate) async fn exchange_category(
    transaction: &Transaction,
    from: Id,
    to: Id,
    edit: &Edit,
) -> Result<u64, DbErr> {
    let mut changed_profiles = 0;
    // There may be one per subscriber, few of them with categories.
    let find =
        Entity::find().select_only().columns([Column::Id, Column::Categories]).order_by_asc(Column::Id);
    let profiles: Vec<(Id, String)> = find.lock(LockType::NoKeyUpdate).into_tuple().all(transaction).await?;
    for (id, categories) in profiles {
        let categories: Vec<Id> =
            serde_json::from_str(&categories).map_err(|error| db_error(broken(error)))?;
        if !categories.contains(&from) {
            continue;
        }
        let Some(before) = find_in(transaction, id).await.map_err(db_error)? else { continue };
        let mut draft = before.draft.clone();
        draft.exchange_category(from, to);
        let categories = serde_json::to_string(&draft.categories).map_err(|error| db_error(broken(error)))?;
        let row = ActiveModel { categories: Set(categories), ..changed_by(edit) };
        let changed = SeaOrmLiveProfiles::update(transaction, id, row, None).await.map_err(db_error)?;
        let Some(after) = changed else { continue };
        let diff = difference(&fields_of(&before.draft), &fields_of(&after.draft));
        record_one(transaction, edit, record_of(AuditAction::Updated, &after, diff)).await?;
        changed_profiles += 1;
    }
    Ok(changed_profiles)
}

struct ProfileList;

rows_of_list!(SeaOrmLiveProfiles, 0, (), LiveProfile, |store, _filter| ProfileList);

impl ListTable for ProfileList {
    type Row = LiveProfile;

    const TABLE: &'static str = "live_profiles";
    const ALIAS: &'static str = "p";
    const COLUMNS: &'static str = COLUMNS;
    const SORTS: &'static [(&'static str, &'static str)] = &[
        ("name", "name_key"),
        ("createdDate", "created_date"),
        ("lastUsedDate", "last_used_date"),
        ("calls", "calls"),
    ];
    const NULLABLE: &'static [&'static str] = &["p.last_used_date"];
    const DEFAULT_ORDER: (&'static str, bool) = ("p.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = profile;

    /// Equal profiles are ordered newest first, in either direction.
    fn order(&self, query: &ListQuery) -> Order {
        Order::requested(query, |field| self.column(field)).then("p.id".to_owned(), true)
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        if let Some(text) = request.search.text() {
            sql.push(" WHERE (").push_like("p.name_key", text);
            sql.push(" OR EXISTS (SELECT 1 FROM users u WHERE u.id = p.user_id AND ");
            sql.push_like("u.username_key", text).push("))");
        }
    }
}

impl SeaOrmLiveProfiles {
    /// Updates a row in this transaction, and reads it again. `None` for another version, or a
    /// deleted one.
    async fn update(
        transaction: &Transaction,
        id: Id,
        row: ActiveModel,
        expected: Option<Version>,
    ) -> Result<Option<LiveProfile>, StoreError> {
        let update = Entity::update_many()
            .set(row)
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(is_expected(id, expected));
        if update.exec(transaction).await.map_err(store_error)?.rows_affected == 0 {
            return Ok(None);
        }
        find_in(transaction, id).await
    }

    async fn write_uses(&self, uses: &[ProfileUse]) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        for one in uses {
            Entity::update_many()
                .col_expr(Column::Calls, Expr::col(Column::Calls).add(one.calls))
                .col_expr(Column::LastUsedDate, one.last.into())
                .filter(Column::Id.eq(one.profile))
                .exec(&transaction)
                .await?;
        }
        transaction.commit().await
    }
}

#[async_trait]
impl LiveProfileRepository for SeaOrmLiveProfiles {
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<LiveProfile>>, StoreError> {
        page(&self.0, &ProfileList, query).await
    }

    async fn find(&self, id: Id) -> Result<Option<LiveProfile>, StoreError> {
        find_in(&self.0.reader, id).await
    }

    async fn find_by_hash(&self, hash: &str) -> Result<Option<LiveProfile>, StoreError> {
        find_where(&self.0.reader, Expr::col(("p", Column::SecretHash)).eq(hash)).await
    }

    async fn add(
        &self,
        draft: Valid<LiveProfileDraft>,
        secret: &ProfileSecret,
        edit: &Edit,
    ) -> Result<LiveProfile, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let row = ActiveModel {
            version: Set(1),
            secret_hash: Set(Some(secret.hash.clone())),
            hint: Set(secret.hint.clone()),
            created_date: Set(edit.at),
            calls: Set(0),
            ..row(&transaction, &draft, edit).await?
        };
        let id = Entity::insert(row).exec(&transaction).await.map_err(store_error)?.last_insert_id;
        let added = find_in(&transaction, id).await?;
        let added = added.ok_or_else(|| broken("an insert without a row"))?;
        let diff = recorded::added(fields_of(&added.draft));
        let record = record_of(AuditAction::Created, &added, diff);
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(added)
    }

    async fn replace(
        &self,
        id: Id,
        draft: Valid<LiveProfileDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<LiveProfile>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        // Locked until the transaction ends, so that the recorded previous form is correct.
        let lock = Entity::find().select_only().column(Column::Id).filter(Column::Id.eq(id));
        let lock = lock.lock(LockType::NoKeyUpdate).into_tuple::<Id>();
        lock.one(&transaction).await.map_err(store_error)?;
        let Some(before) = find_in(&transaction, id).await? else { return Ok(Written::Missing) };
        let row = row(&transaction, &draft, edit).await?;
        let Some(after) = Self::update(&transaction, id, row, expected).await? else {
            return Ok(find_in(&transaction, id).await?.map_or(Written::Missing, Written::Outdated));
        };
        let diff = difference(&fields_of(&before.draft), &fields_of(&after.draft));
        let record = record_of(AuditAction::Updated, &after, diff);
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(after))
    }

    async fn change_secret(
        &self,
        id: Id,
        secret: &ProfileSecret,
        edit: &Edit,
    ) -> Result<Option<LiveProfile>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let row = ActiveModel {
            secret_hash: Set(Some(secret.hash.clone())),
            hint: Set(secret.hint.clone()),
            revoked_date: Set(None),
            ..changed_by(edit)
        };
        let Some(after) = Self::update(&transaction, id, row, None).await? else { return Ok(None) };
        let record = record_of(AuditAction::SecretChanged, &after, FieldDiff::default());
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Some(after))
    }

    async fn revoke(&self, id: Id, edit: &Edit) -> Result<Option<LiveProfile>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(before) = find_in(&transaction, id).await? else { return Ok(None) };
        if before.revoked_date.is_some() {
            return Ok(Some(before));
        }
        let row =
            ActiveModel { secret_hash: Set(None), revoked_date: Set(Some(edit.at)), ..changed_by(edit) };
        let Some(after) = Self::update(&transaction, id, row, None).await? else { return Ok(None) };
        let record = record_of(AuditAction::Revoked, &after, FieldDiff::default());
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Some(after))
    }

    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<LiveProfile>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(before) = find_in(&transaction, id).await? else { return Ok(Written::Missing) };
        let delete = Entity::delete_many().filter(is_expected(id, expected));
        let diff = FieldDiff { before: fields_of(&before.draft), ..FieldDiff::default() };
        let deleted = record_of(AuditAction::Deleted, &before, diff);
        let is_deleted = delete_recorded(transaction, delete, edit, deleted).await?;
        Ok(if is_deleted { Written::Done(before) } else { Written::Outdated(before) })
    }

    async fn note(&self, uses: &[ProfileUse]) -> Result<(), StoreError> {
        self.write_uses(uses).await.map_err(store_error)
    }

    async fn fingerprint(&self, selection: &ChannelSelection) -> Result<String, StoreError> {
        channels::fingerprint(&self.0, selection).await
    }

    async fn category_names(&self) -> Result<Vec<(Id, String)>, StoreError> {
        channels::category_names(&self.0).await
    }

    async fn channels(
        &self,
        selection: &ChannelSelection,
        after: Option<ChannelPlace>,
        count: u32,
    ) -> Result<Vec<SelectedChannel>, StoreError> {
        channels::slice(&self.0, selection, after, count).await
    }

    async fn shared_ids(&self, selection: &ChannelSelection) -> Result<Vec<(String, Id)>, StoreError> {
        guide::shared_ids(&self.0, selection).await
    }

    async fn ids_in_several_guides(&self) -> Result<Vec<(String, Id)>, StoreError> {
        guide::ids_in_several_guides(&self.0).await
    }

    async fn guides_fingerprint(&self) -> Result<String, StoreError> {
        guide::fingerprint(&self.0).await
    }

    async fn guided_channels(
        &self,
        selection: &ChannelSelection,
        after: Option<ChannelPlace>,
        count: u32,
    ) -> Result<Vec<GuidedChannel>, StoreError> {
        guide::channels(&self.0, selection, after, count).await
    }

    async fn programmes(
        &self,
        guide_channels: &[Id],
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError> {
        guide::programmes(&self.0, guide_channels, from.timestamp(), to.timestamp()).await
    }
}
