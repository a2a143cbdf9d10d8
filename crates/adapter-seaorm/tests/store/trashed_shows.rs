//! Shows in the trash: they are deleted, restored and removed with their seasons and episodes, and
//! episodes have their seasons.

use adapter_seaorm::{
    SeaOrmRetention,
    catalogue::{EpisodesTable, SeaOrmContents, TvShowsTable},
};
use domain_catalogue::{CategoryType, Content, Episode, Season, TvShow};
use domain_kernel::Kind;
use ports::{Aged, ContentRepository, Removed, Retention};
use sea_orm::{ConnectionTrait, QueryResult, TransactionTrait};

use crate::{
    kinds::{add, add_category, done},
    support::{TestDb, after, edit, on_both, valid},
    trash::{SeriesFixture, episode_of, listed},
};

/// Earlier versions lost the season of an episode that was written during its deletion.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn episodes_of_an_earlier_version_get_their_missing_seasons_on_postgres() {
    let Some(db) = TestDb::postgres().await else { return };
    let SeriesFixture { shows, seasons, episodes, show, id } = SeriesFixture::of(&db).await;
    let gone = add(&shows, show).await;
    let texts = Season { tv_show_id: id, season_number: 1, ..Season::sample() };
    let season = add(&seasons, texts.clone()).await;
    add(&seasons, Season { season_number: 3, ..texts.clone() }).await;
    for episode in [
        episode_of(id, 1),
        episode_of(id, 2),
        Episode { season_number: 2, ..episode_of(id, 1) },
        episode_of(gone, 1),
    ] {
        add(&episodes, episode).await;
    }
    // Without triggers, as in a copy that was restored without them: a season is missing, all
    // counts are wrong, and an episode has no show. The function of that version maintains nothing.
    db.run(&format!(
        "SET session_replication_role = replica; \
         DELETE FROM seasons WHERE season_number = 2 OR tv_show_id = {gone}; DELETE FROM tv_shows WHERE id = {gone}; \
         UPDATE seasons SET episode_count = 7; RESET session_replication_role; \
         CREATE OR REPLACE FUNCTION episodes_keep_seasons() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; \
         DELETE FROM seaql_migrations WHERE version LIKE '%_000108_%'"
    ))
    .await;
    db.database.migrate(migrations::migrate).await.unwrap();
    let counts = async || -> Vec<(i32, i64)> {
        let rows = db.rows("SELECT season_number, episode_count FROM seasons ORDER BY season_number").await;
        let number = |row: &QueryResult| row.try_get("", "season_number").unwrap();
        rows.iter().map(|row| (number(row), row.try_get("", "episode_count").unwrap())).collect()
    };
    assert_eq!(counts().await, [(1, 2), (2, 1), (3, 0)]);
    let kept = seasons.find(season).await.unwrap().unwrap().content;
    assert_eq!(kept, Season { episode_count: 2, ..texts });
    let total = "SELECT count(*) AS number FROM episodes";
    assert_eq!(db.number(total).await, 4, "no episode is lost, not even the one without a show");
    add(&episodes, Episode { season_number: 4, ..episode_of(id, 1) }).await;
    assert_eq!(counts().await, [(1, 2), (2, 1), (3, 0), (4, 1)]);
    db.remove().await;
}

on_both! {
    async fn a_show_is_deleted_and_restored_with_its_seasons_and_episodes(db: &TestDb) {
        let SeriesFixture { shows, seasons, episodes, show, id } = SeriesFixture::of(db).await;
        let season = add(&seasons, Season { tv_show_id: id, ..Season::sample() }).await;
        let mut all = Vec::new();
        // More than one insert.
        for number in 1..=3 {
            all.push(add(&episodes, episode_of(id, number)).await);
        }
        let other = add(&shows, show.clone()).await;
        let kept = add(&episodes, episode_of(other, 1)).await;
        let first = episodes.find(all[0]).await.unwrap().unwrap();
        assert_eq!(shows.delete(id, None, edit(after(1))).await.unwrap(), Removed::Done);
        assert_eq!(listed(db).await, [(Kind::TvShows, id, 4)]);
        assert_eq!((episodes.find(all[0]).await.unwrap(), seasons.find(season).await.unwrap()), (None, None));
        // Parts that were deleted with a show are not restored without it.
        assert_eq!(episodes.trashed(all[0]).await.unwrap(), None);
        assert!(episodes.find(kept).await.unwrap().is_some());
        done(shows.restore(id, valid(show), edit(after(2))).await.unwrap());
        let back = episodes.find(all[0]).await.unwrap().unwrap();
        assert_eq!((&back.content, back.version), (&first.content, 2));
        // Each part has audit entries too, because earlier versions of it are restored from them.
        let recorded = "SELECT count(*) AS number FROM audit_entries WHERE version IN (1, 2) AND action = ";
        for action in ["'DELETED'", "'RESTORED'"] {
            assert_eq!(db.number(&format!("{recorded}{action}")).await, 5, "{action}");
        }
        // The season counts its episodes once, so that it can be deleted after them.
        assert_eq!(seasons.find(season).await.unwrap().unwrap().content.episode_count, 3);
        for id in all {
            assert_eq!(episodes.delete(id, None, edit(after(3))).await.unwrap(), Removed::Done);
        }
        assert_eq!(seasons.delete(season, None, edit(after(3))).await.unwrap(), Removed::Done);
        assert_eq!(db.number("SELECT count(*) AS number FROM episodes").await, 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 4);
    }

    async fn an_episode_deleted_with_its_show_by_an_earlier_version_is_restored_with_the_current_form_of_ids(db: &TestDb) {
        let SeriesFixture { shows, episodes, show, id, .. } = SeriesFixture::of(db).await;
        let episode = add(&episodes, Episode { imdb_id: Some("tt0420238".into()), ..episode_of(id, 1) }).await;
        let before = episodes.find(episode).await.unwrap().unwrap();
        assert_eq!(shows.delete(id, None, edit(after(1))).await.unwrap(), Removed::Done);
        db.run("UPDATE trash SET document = replace(document, 'tt0420238', 'tt420238')").await;
        done(shows.restore(id, valid(show), edit(after(2))).await.unwrap());
        assert_eq!(episodes.find(episode).await.unwrap().unwrap().content, before.content);
    }

    async fn restoring_an_episode_restores_its_season(db: &TestDb) {
        let SeriesFixture { seasons, episodes, id, .. } = SeriesFixture::of(db).await;
        let content = Season { tv_show_id: id, season_number: 1, ..Season::sample() };
        let season = add(&seasons, content.clone()).await;
        let other = add(&seasons, Season { season_number: 2, ..content.clone() }).await;
        let episode = add(&episodes, episode_of(id, 1)).await;
        for (minute, one) in [(1, other), (3, season)] {
            if one == season {
                assert_eq!(episodes.delete(episode, None, edit(after(2))).await.unwrap(), Removed::Done);
            }
            assert_eq!(seasons.delete(one, None, edit(after(minute))).await.unwrap(), Removed::Done);
        }
        done(episodes.restore(episode, valid(episode_of(id, 1)), edit(after(4))).await.unwrap());
        let back = seasons.find(season).await.unwrap().expect("its season is there");
        assert_eq!((back.content, back.version), (Season { episode_count: 1, ..content }, 2));
        assert_eq!(seasons.find(other).await.unwrap(), None);
        assert_eq!(db.number("SELECT count(*) AS number FROM seasons").await, 1);
        assert_eq!(db.number("SELECT episode_count AS number FROM seasons").await, 1);
    }

    async fn a_concurrent_edit_of_a_part_is_not_lost_when_its_show_is_deleted(db: &TestDb) {
        let SeriesFixture { shows, episodes, show, id, .. } = SeriesFixture::of(db).await;
        let episode = add(&episodes, episode_of(id, 1)).await;
        let elsewhere = db.other_node().await;
        let editing = elsewhere.connection().begin().await.unwrap();
        let edit_it = "UPDATE episodes SET title = 'Corregido', version = version + 1";
        editing.execute_unprepared(edit_it).await.unwrap();
        let deleting = {
            let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
            tokio::spawn(async move { shows.delete(id, None, edit(after(1))).await })
        };
        db.until_a_lock_is_awaited().await;
        editing.commit().await.unwrap();
        assert_eq!(deleting.await.unwrap().unwrap(), Removed::Done);
        done(shows.restore(id, valid(show), edit(after(2))).await.unwrap());
        let back = episodes.find(episode).await.unwrap().unwrap();
        assert_eq!((back.content.title.as_str(), back.version), ("Corregido", 3));
    }

    async fn a_season_that_gets_an_episode_meanwhile_is_not_deleted(db: &TestDb) {
        let SeriesFixture { seasons, episodes, id, .. } = SeriesFixture::of(db).await;
        let season = add(&seasons, Season { tv_show_id: id, ..Season::sample() }).await;
        add(&episodes, Episode { season_number: 2, ..episode_of(id, 1) }).await;
        let elsewhere = db.other_node().await;
        let moving = elsewhere.connection().begin().await.unwrap();
        moving.execute_unprepared("UPDATE episodes SET season_number = 1").await.unwrap();
        let deleting = tokio::spawn(async move { seasons.delete(season, None, edit(after(1))).await });
        db.until_a_lock_is_awaited().await;
        moving.commit().await.unwrap();
        assert_eq!(deleting.await.unwrap().unwrap(), Removed::Conflict(vec![(Kind::Episodes.path(), 1)]));
    }

    async fn an_episode_whose_season_is_deleted_meanwhile_has_a_season(db: &TestDb) {
        let SeriesFixture { seasons, episodes, id, .. } = SeriesFixture::of(db).await;
        add(&seasons, Season { tv_show_id: id, season_number: 1, ..Season::sample() }).await;
        let elsewhere = db.other_node().await;
        let deleting = elsewhere.connection().begin().await.unwrap();
        let hold = if db.is_sqlite() { "UPDATE seasons SET active = active" } else { "SELECT id FROM seasons FOR UPDATE" };
        deleting.execute_unprepared(hold).await.unwrap();
        let adding = tokio::spawn(async move { add(&episodes, episode_of(id, 1)).await });
        db.until_a_lock_is_awaited().await;
        deleting.execute_unprepared("DELETE FROM seasons").await.unwrap();
        deleting.commit().await.unwrap();
        adding.await.unwrap();
        let counted = "SELECT count(*) AS number FROM seasons WHERE season_number = 1 AND episode_count = 1";
        assert_eq!(db.number(counted).await, 1);
    }

    async fn an_old_show_is_removed_together_with_its_parts(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let mut show = TvShow::sample();
        show.category_id = category;
        let id = add(&shows, show).await;
        for number in 1..=3 {
            add(&episodes, episode_of(id, number)).await;
        }
        shows.delete(id, None, edit(after(1))).await.unwrap();
        // A batch of one row removes the show and no single episode of it.
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::Trash, after(1), after(1), 1).await.unwrap(), 5);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
    }

    async fn shows_that_expire_together_are_removed_in_batches_of_their_rows(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        for minute in 1..=3 {
            let id = add(&shows, TvShow { category_id: category, ..TvShow::sample() }).await;
            for number in 1..=3 {
                add(&episodes, episode_of(id, number)).await;
            }
            shows.delete(id, None, edit(after(minute))).await.unwrap();
        }
        // Each is five rows: the show, a season and three episodes.
        let retention = SeaOrmRetention(db.database.clone());
        let remove = async || retention.remove(Aged::Trash, after(3), after(3), 6).await.unwrap();
        assert_eq!(remove().await, 10, "whole items, until there are six rows");
        assert_eq!(listed(db).await.len(), 1);
        let purged = "SELECT count(*) AS number FROM audit_entries WHERE action = 'PURGED'";
        assert_eq!(db.number(purged).await, 10);
        assert_eq!((remove().await, remove().await), (5, 0));
        assert_eq!(db.number(purged).await, 15);
    }
}
