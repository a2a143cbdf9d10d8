//! Files waiting to be read, and programmes waiting to be stored.

use chrono::{DateTime, Utc};
use domain_kernel::Id;
use ports::{ClaimedFetch, StagedPart};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Func, Query},
};

use super::{SeaOrmGuides, is_ours};
use crate::{
    db::sql::{insert_from, key_of, of, remove_selected},
    entities::{guide_fetches, guide_files as files, guide_staged as staged},
};

/// Staged parts removed per transaction.
const FORGOTTEN_AT_ONCE: u64 = 200;
/// Staged parts removed per statement: limits the wait of other requests for the thread.
const FORGOTTEN_BY_STATEMENT: u64 = 50;
/// Parts added per statement: each has up to some megabytes.
const PARTS_AT_ONCE: usize = 50;

impl SeaOrmGuides {
    /// Allocates the next number by an empty first part.
    pub(super) async fn try_begin_upload(&self, guide: Id, now: DateTime<Utc>) -> Result<i64, DbErr> {
        let last = Func::coalesce([of("f", files::Column::Upload).max(), 0_i64.into()]);
        let values = vec![
            (files::Column::Upload, Expr::from(last).add(1_i64)),
            (files::Column::Number, 0_i64.into()),
            // PostgreSQL takes untyped parameters in a list of columns for text.
            (files::Column::GuideId, Expr::val(guide).cast_as("bigint")),
            (files::Column::CreatedDate, now.into()),
            (files::Column::Content, Vec::<u8>::new().into()),
        ];
        let mut insert =
            insert_from(files::Entity, values, Query::select().from_as(files::Entity, "f").take());
        let row = self.0.writer.query_one(insert.returning_col(files::Column::Upload)).await?;
        row.ok_or_else(|| DbErr::RecordNotFound("the part that was added".into()))?.try_get("", "upload")
    }

    pub(super) async fn add_part(
        &self,
        guide: Id,
        upload: i64,
        number: i64,
        content: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let row = files::ActiveModel {
            upload: Set(upload),
            number: Set(number),
            guide_id: Set(guide),
            created_date: Set(now),
            content: Set(content),
        };
        files::Entity::insert(row).exec_without_returning(&self.0.writer).await.map(drop)
    }

    pub(super) async fn find_part(&self, upload: i64, number: i64) -> Result<Option<Vec<u8>>, DbErr> {
        let part = files::Entity::find_by_id((upload, number)).one(&self.0.reader).await?;
        Ok(part.map(|part| part.content))
    }

    pub(super) async fn try_stage(
        &self,
        claim: &ClaimedFetch,
        parts: Vec<StagedPart>,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        let row = |part: StagedPart| staged::ActiveModel {
            guide_id: Set(claim.guide.guide),
            xml_id: Set(part.xml_id),
            number: Set(part.number),
            content: Set(part.content),
        };
        let mut rows = parts.into_iter().map(row).peekable();
        while rows.peek().is_some() {
            let some: Vec<_> = rows.by_ref().take(PARTS_AT_ONCE).collect();
            staged::Entity::insert_many(some).exec_without_returning(&transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn staged_of(
        &self,
        claim: &ClaimedFetch,
        xml_ids: &[String],
    ) -> Result<Vec<StagedPart>, DbErr> {
        let find = staged::Entity::find()
            .filter(staged::Column::GuideId.eq(claim.guide.guide))
            .filter(staged::Column::XmlId.is_in(xml_ids))
            .order_by_asc(staged::Column::XmlId)
            .order_by_asc(staged::Column::Number);
        let part =
            |row: staged::Model| StagedPart { xml_id: row.xml_id, number: row.number, content: row.content };
        Ok(find.all(&self.0.reader).await?.into_iter().map(part).collect())
    }

    /// Whether there may be more. After a claim by another process parts are kept: they may be its
    /// own.
    pub(super) async fn try_unstage(&self, claim: &ClaimedFetch) -> Result<bool, DbErr> {
        let guide = claim.guide.guide;
        // A fetch with its programmes in memory has staged nothing, and writes nothing here.
        let find = staged::Entity::find().select_only().column(staged::Column::Number);
        let any =
            find.filter(staged::Column::GuideId.eq(guide)).into_tuple::<i64>().one(&self.0.reader).await?;
        if any.is_none() {
            return Ok(false);
        }
        let transaction = self.0.begin().await?;
        let mut removed = 0;
        while removed < FORGOTTEN_AT_ONCE {
            let fetched = Expr::col((guide_fetches::Entity, guide_fetches::Column::GuideId));
            let of_guide = (staged::Entity, staged::Column::GuideId);
            // Independent of the state: parts of a fetch replaced by an upload are removed, too.
            let parts = Query::select()
                .exprs(key_of::<staged::Entity>())
                .from(staged::Entity)
                .inner_join(guide_fetches::Entity, fetched.equals(of_guide))
                .and_where(staged::Column::GuideId.eq(guide))
                .and_where(guide_fetches::Column::Attempt.eq(claim.attempt))
                .limit(FORGOTTEN_BY_STATEMENT)
                .take();
            let some = remove_selected::<staged::Entity>(&transaction, parts).await?;
            if some == 0 {
                break;
            }
            removed += some;
        }
        transaction.commit().await?;
        Ok(removed > 0)
    }
}
