//! Matches of channels to guide channels, decisions, and the progress of the matching job
//! (docs/adr/0033-links-of-channels.md). The link itself is stored in the channel's own fields. No foreign
//! key refers to channels or guides: a channel restored from the trash has its decisions again.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let matches = Table::create()
            .table("epg_matches")
            // Id of the channel.
            .col(big_integer("id").primary_key())
            .col(big_integer("version"))
            .col(text("level"))
            // Score of the best candidate.
            .col(integer("score"))
            .col(big_integer_null("guide_id"))
            // Codes for and against the best candidate, each between spaces.
            .col(text("reasons"))
            // Whether there is no code against it.
            .col(boolean("clear"))
            .col(text("candidates"))
            // Compared version of the channel.
            .col(big_integer("seen_version"))
            .col(text_null("decision"))
            .col(text_null("decided_by"))
            .col(timestamp_with_time_zone_null("decided_date"))
            .col(timestamp_with_time_zone("matched_date"))
            .to_owned();
        manager.create_table(matches).await?;
        let decisions = Table::create()
            .table("epg_decisions")
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("channel_id"))
            // Title of the channel at that time, an alias of the guide channel from then on.
            .col(text("channel_title"))
            .col(text("verdict"))
            .col(big_integer_null("guide_id"))
            .col(text_null("xml_id"))
            // Name in the guide at that time.
            .col(text("name"))
            .col(text("explanation"))
            // Former values of the channel.
            .col(big_integer_null("before_guide_id"))
            .col(text_null("before_epg_id"))
            .col(text_null("decided_by"))
            .col(timestamp_with_time_zone("decided_date"))
            .col(big_integer_null("operation_id"))
            // Row of the operation that creates the link; until then nothing is decided.
            .col(big_integer_null("sheet_id"))
            .col(big_integer_null("sheet_row"))
            .to_owned();
        manager.create_table(decisions).await?;
        let matching = Table::create()
            .table("epg_matching")
            .col(big_integer("id").primary_key())
            .col(big_integer("version"))
            .col(integer("auto_score"))
            .col(integer("review_score"))
            .col(integer("lead_score"))
            .col(boolean("automatic"))
            .col(text_null("updated_by"))
            .col(text("state"))
            .col(big_integer("attempt"))
            // Whether every channel is matched, or only new and changed ones.
            .col(boolean("whole"))
            .col(text_null("requested_by"))
            // State of the guides at the last comparison of all channels.
            .col(text("guides_seen"))
            .col(timestamp_with_time_zone_null("finished_date"))
            .col(text("counts"))
            .to_owned();
        manager.create_table(matching).await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("INSERT INTO epg_matching (id, version, auto_score, review_score, lead_score, automatic, state, attempt, whole, \
             guides_seen, counts) VALUES (1, 1, 86, 30, 6, TRUE, 'IDLE', 0, FALSE, '', '{}')")
        .await?;
        run("CREATE INDEX epg_matches_by_level ON epg_matches (level, id)").await?;
        run("CREATE INDEX epg_decisions_by_channel ON epg_decisions (channel_id)").await?;
        run("CREATE INDEX epg_decisions_by_sheet ON epg_decisions (sheet_id) WHERE sheet_id IS NOT NULL")
            .await?;
        // Number of changes of a guide's channels, after which their names are compared again.
        run("ALTER TABLE guide_fetches ADD COLUMN channels_version bigint NOT NULL DEFAULT 0").await?;
        run("ALTER TABLE guide_fetches ADD COLUMN priority integer NOT NULL DEFAULT 100").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("ALTER TABLE guide_fetches DROP COLUMN priority").await?;
        run("ALTER TABLE guide_fetches DROP COLUMN channels_version").await?;
        for table in ["epg_matching", "epg_decisions", "epg_matches"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
