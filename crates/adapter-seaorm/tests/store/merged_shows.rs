//! Shows that are merged, with their seasons and episodes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use adapter_seaorm::{
    SeaOrmAudit, SeaOrmIssues,
    catalogue::{EpisodesTable, SeaOrmContents, TableOf, TvShowsTable},
};
use domain_audit::AuditAction;
use domain_catalogue::{CategoryType, Content, Episode, MOST_LINKS, Season, StreamUrl, TvShow};
use domain_issues::IssueContentType;
use domain_kernel::{Code, Id, ListQuery};
use ports::{
    AuditFilter, AuditRepository, ContentRepository, IssueRepository, ItemMerge, MergeConflict, Written,
};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::json;

use crate::{
    kinds::{add, add_category, done},
    merging::report,
    support::{TestDb, after, edit, on_both, valid},
};

/// An episode with this number and these links.
fn episode(show: Id, season_number: i32, episode_number: i32, urls: &[&str]) -> Episode {
    let mut episode = Episode { tv_show_id: show, season_number, episode_number, ..Episode::sample() };
    let link = episode.links[0].clone();
    let of = |url: &&str| domain_catalogue::Link { id: None, url: StreamUrl((*url).into()), ..link.clone() };
    episode.links = urls.iter().map(of).collect();
    episode.fill_server_fields(None, after(0));
    episode
}

struct Shows {
    shows: SeaOrmContents<TvShowsTable>,
    seasons: SeaOrmContents<TableOf<Season>>,
    episodes: SeaOrmContents<EpisodesTable>,
    content: TvShow,
    kept: Id,
    merged: Id,
}

impl Shows {
    async fn of(db: &TestDb) -> Self {
        let category_id = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let content = TvShow { category_id, ..TvShow::sample() };
        let kept = add(&shows, content.clone()).await;
        let merged = add(&shows, content.clone()).await;
        let seasons = SeaOrmContents::new(db.database.clone());
        let episodes = SeaOrmContents::new(db.database.clone());
        Self { shows, seasons, episodes, content, kept, merged }
    }

    async fn merge(&self) {
        let merge = ItemMerge { kept: (self.kept, 1), merged: (self.merged, 1) };
        done(self.shows.merge(merge, valid(self.content.clone()), edit(after(5))).await.unwrap());
    }
}

on_both! {
    async fn a_merged_show_brings_episodes_seasons_views_links_and_reports(db: &TestDb) {
        let of = Shows::of(db).await;
        let bare = Season {
            title: None, spanish_synopsis: None, tv_show_id: of.kept, english_synopsis: Some("Mine".into()), ..Season::sample()
        };
        add(&of.seasons, bare).await;
        let texts = Season { tv_show_id: of.merged, title: Some("La primera".into()), ..Season::sample() };
        let old = add(&of.seasons, texts.clone()).await;
        for season_number in [2, 3] {
            add(&of.seasons, Season { season_number, active: false, ..texts.clone() }).await;
        }
        let there = add(&of.episodes, Episode { rating: None, ..episode(of.kept, 1, 1, &["https://a.example/1"]) }).await;
        let same = episode(of.merged, 1, 1, &["https://a.example/1", "https://a.example/2"]);
        let same = add(&of.episodes, Episode { rating: Some(8.1), ..same }).await;
        let other = add(&of.episodes, episode(of.merged, 1, 2, &["https://a.example/3"])).await;
        let later = add(&of.episodes, episode(of.merged, 2, 1, &["https://a.example/4"])).await;
        db.run(&format!("UPDATE episodes SET views = 30 WHERE id = {there}")).await;
        db.run(&format!("UPDATE episodes SET views = 12 WHERE id IN ({same}, {other})")).await;
        let moved = report(db, IssueContentType::Episode, same, "Breaking Bad S1E1: Pilot").await;
        let kept = report(db, IssueContentType::Episode, other, "Breaking Bad S1E2: Pilot").await;
        of.merge().await;

        // Of the episodes with one number there is one, with views, links and reports of both.
        let together = of.episodes.find(there).await.unwrap().unwrap();
        assert_eq!((together.views, together.version, together.content.rating), (42, 2, Some(8.1)));
        let urls: Vec<&str> = together.content.links.iter().map(|link| link.url.0.as_str()).collect();
        assert_eq!(urls, ["https://a.example/1", "https://a.example/2"]);
        assert_eq!(of.episodes.find(same).await.unwrap(), None);
        let issues = SeaOrmIssues(db.database.clone());
        assert_eq!(issues.find(moved.id).await.unwrap().unwrap().content_id, Some(there));
        assert_eq!(issues.find(kept.id).await.unwrap().unwrap().content_id, Some(other));
        let title = format!("SELECT count(*) AS number FROM issue_items WHERE item_key = 'EPISODE/{there}' AND title = 'Breaking Bad S1E1: Pilot'");
        assert_eq!(db.number(&title).await, 1);
        // The others are episodes of the kept show, with their IDs and views.
        for (id, season, views) in [(other, 1, 12), (later, 2, 0)] {
            let episode = of.episodes.find(id).await.unwrap().unwrap();
            let found = (episode.content.tv_show_id, episode.content.season_number, episode.views, episode.version);
            assert_eq!(found, (of.kept, season, views, 2));
        }
        // Seasons are completed, or moved; each has its number of episodes.
        let season = async |number: i32| {
            let id = format!("SELECT id AS number FROM seasons WHERE tv_show_id = {} AND season_number = {number}", of.kept);
            of.seasons.find(db.number(&id).await).await.unwrap().unwrap().content
        };
        let first = season(1).await;
        assert_eq!((first.title.as_deref(), first.english_synopsis.as_deref()), (Some("La primera"), Some("Mine")));
        assert_eq!((first.episode_count, first.active), (2, true));
        for (number, episodes) in [(2, 1), (3, 0)] {
            let found = season(number).await;
            assert_eq!((found.title.as_deref(), found.episode_count, found.active), (Some("La primera"), episodes, false));
        }

        // The history says so.
        let audit = SeaOrmAudit(db.database.clone());
        let last = async |resource: &str, id: Id| {
            let filter = AuditFilter { resource: Some(resource.into()), item: Some(id.to_string()), ..AuditFilter::default() };
            audit.list(&filter, &ListQuery::default()).await.unwrap().content.remove(0)
        };
        let entry = last("episodes", there).await;
        assert_eq!((entry.action, &entry.diff.after["mergedItem"]), (AuditAction::Merged, &json!(format!("Pilot ({same})"))));
        let entry = last("episodes", other).await;
        assert_eq!((entry.action, &entry.diff.before["tvShowId"]), (AuditAction::Updated, &json!(of.merged)));
        assert_eq!(last("episodes", same).await.action, AuditAction::Deleted);

        // The merged show comes back with what was merged, whose views and reports stay where they are.
        let trashed = of.shows.trashed(of.merged).await.unwrap().unwrap();
        done(of.shows.restore(of.merged, valid(trashed.content), edit(after(7))).await.unwrap());
        let restored = of.episodes.find(same).await.unwrap().unwrap();
        assert_eq!((restored.content.tv_show_id, restored.views), (of.merged, 0));
        assert_eq!(of.seasons.find(old).await.unwrap().unwrap().content.episode_count, 1);
        assert_eq!(of.episodes.find(there).await.unwrap().unwrap(), together);
    }

    async fn shows_are_not_merged_if_an_episode_would_have_more_links_than_it_may_have(db: &TestDb) {
        let of = Shows::of(db).await;
        let urls: Vec<String> = (0..=MOST_LINKS).map(|number| format!("https://a.example/{number}")).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let moved = add(&of.episodes, episode(of.merged, 1, 1, &urls[..1])).await;
        let kept = add(&of.episodes, episode(of.kept, 1, 2, &urls[1..])).await;
        let same = add(&of.episodes, episode(of.merged, 1, 2, &urls[..1])).await;
        let all = async || {
            let mut all = Vec::new();
            for id in [moved, kept, same] {
                all.push(of.episodes.find(id).await.unwrap().unwrap());
            }
            all
        };
        let before = all().await;
        let merge = ItemMerge { kept: (of.kept, 1), merged: (of.merged, 1) };
        let outcome = of.shows.merge(merge, valid(of.content.clone()), edit(after(5))).await.unwrap();
        let Written::Conflict(MergeConflict::Invalid(violation)) = outcome else { panic!("{outcome:?}") };
        assert_eq!((violation.field.as_str(), violation.code), ("links", Code::TooMany));
        let title = format!("{} S1E2: Pilot", of.content.title);
        assert_eq!(json!(violation.arguments), json!({"max": MOST_LINKS, "id": kept, "title": title}));
        assert_eq!(all().await, before);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
        // One link less is as many as it may have.
        db.run(&format!("DELETE FROM episodes WHERE id = {same}")).await;
        add(&of.episodes, episode(of.merged, 1, 2, &urls[1..2])).await;
        of.merge().await;
        assert_eq!(of.episodes.find(kept).await.unwrap().unwrap().content.links.len(), MOST_LINKS);
    }

    async fn a_merge_of_shows_that_waits_for_an_episode_has_locked_no_season(db: &TestDb) {
        let of = Shows::of(db).await;
        let kept = add(&of.episodes, episode(of.kept, 1, 1, &["https://a.example/1"])).await;
        add(&of.episodes, episode(of.merged, 1, 2, &["https://a.example/2"])).await;
        let elsewhere = db.other_node().await;
        let editing = elsewhere.connection().begin().await.unwrap();
        let edit_it = format!("UPDATE episodes SET title = 'Corregido', version = version + 1 WHERE id = {kept}");
        editing.execute_unprepared(&edit_it).await.unwrap();
        let merging = {
            let (shows, content) = (SeaOrmContents::<TvShowsTable>::new(db.database.clone()), of.content.clone());
            let merge = ItemMerge { kept: (of.kept, 1), merged: (of.merged, 1) };
            tokio::spawn(async move { shows.merge(merge, valid(content), edit(after(1))).await })
        };
        db.until_a_lock_is_awaited().await;
        // As an edit that moves the episode to another season.
        let hold = if db.is_sqlite() { "UPDATE seasons SET active = active" } else { "SELECT id FROM seasons FOR UPDATE NOWAIT" };
        editing.execute_unprepared(hold).await.unwrap();
        editing.commit().await.unwrap();
        done(merging.await.unwrap().unwrap());
        assert_eq!(of.episodes.find(kept).await.unwrap().unwrap().content.title, "Corregido");
        assert_eq!(db.number(&format!("SELECT count(*) AS number FROM episodes WHERE tv_show_id = {}", of.kept)).await, 2);
    }

    async fn a_merge_of_shows_that_waits_for_reports_has_locked_no_later_ones(db: &TestDb) {
        let of = Shows::of(db).await;
        let kept = add(&of.episodes, episode(of.kept, 1, 1, &["https://a.example/1"])).await;
        let merged = add(&of.episodes, episode(of.merged, 1, 1, &["https://a.example/2"])).await;
        // The group of the episode that stays has the lower ID.
        report(db, IssueContentType::Episode, kept, "Breaking Bad S1E1: Pilot").await;
        let moved = report(db, IssueContentType::Episode, merged, "Breaking Bad S1E1: Pilot").await;
        let elsewhere = db.other_node().await;
        let other = elsewhere.connection().begin().await.unwrap();
        let edit_it = format!("UPDATE issue_items SET title = title WHERE item_key = 'EPISODE/{kept}'");
        other.execute_unprepared(&edit_it).await.unwrap();
        let merging = {
            let (shows, content) = (SeaOrmContents::<TvShowsTable>::new(db.database.clone()), of.content.clone());
            let merge = ItemMerge { kept: (of.kept, 1), merged: (of.merged, 1) };
            tokio::spawn(async move { shows.merge(merge, valid(content), edit(after(1))).await })
        };
        db.until_a_lock_is_awaited().await;
        let hold = if db.is_sqlite() { "UPDATE issue_items SET title = title" } else { "SELECT id FROM issue_items FOR UPDATE NOWAIT" };
        other.execute_unprepared(hold).await.unwrap();
        other.commit().await.unwrap();
        done(merging.await.unwrap().unwrap());
        let issues = SeaOrmIssues(db.database.clone());
        assert_eq!(issues.find(moved.id).await.unwrap().unwrap().content_id, Some(kept));
    }

    async fn a_merge_of_shows_takes_no_more_statements_with_more_episodes(db: &TestDb) {
        let of = Shows::of(db).await;
        let mut statements = Vec::new();
        for episodes in [2, 12] {
            let kept = add(&of.shows, of.content.clone()).await;
            let merged = add(&of.shows, of.content.clone()).await;
            for number in 1..=episodes {
                let urls = [format!("https://a.example/{number}"), format!("https://b.example/{number}")];
                // Every second episode is in both shows.
                if number % 2 == 0 {
                    add(&of.episodes, episode(kept, 1, number, &[&urls[0]])).await;
                }
                add(&of.episodes, episode(merged, 1, number, &[&urls[1]])).await;
            }
            let count = Arc::<AtomicUsize>::default();
            let counter = Arc::clone(&count);
            let watched = db.database.clone().watched(move |_| {
                counter.fetch_add(1, Ordering::Relaxed);
            });
            let shows = SeaOrmContents::<TvShowsTable>::new(watched);
            let merge = ItemMerge { kept: (kept, 1), merged: (merged, 1) };
            done(shows.merge(merge, valid(of.content.clone()), edit(after(5))).await.unwrap());
            let of_kept = format!("SELECT count(*) AS number FROM episodes WHERE tv_show_id = {kept}");
            assert_eq!(db.number(&of_kept).await, i64::from(episodes));
            statements.push(count.load(Ordering::Relaxed));
        }
        assert_eq!(statements[0], statements[1]);
    }

    async fn a_failed_merge_of_shows_changes_no_part(db: &TestDb) {
        let of = Shows::of(db).await;
        let one = add(&of.episodes, episode(of.merged, 1, 1, &["https://a.example/1"])).await;
        let merge = ItemMerge { kept: (of.kept, 1), merged: (of.merged, 1) };
        // The audit log is written last.
        db.run("ALTER TABLE audit_entries RENAME TO audit_entries_hidden").await;
        assert!(of.shows.merge(merge, valid(of.content.clone()), edit(after(1))).await.is_err());
        db.run("ALTER TABLE audit_entries_hidden RENAME TO audit_entries").await;
        let outdated = ItemMerge { kept: (of.kept, 2), merged: (of.merged, 1) };
        let outcome = of.shows.merge(outdated, valid(of.content.clone()), edit(after(2))).await.unwrap();
        assert!(matches!(outcome, Written::Outdated(_)), "{outcome:?}");
        let episode = of.episodes.find(one).await.unwrap().unwrap();
        assert_eq!((episode.content.tv_show_id, episode.version), (of.merged, 1));
        assert_eq!(db.number("SELECT count(*) AS number FROM seasons").await, 1);
    }
}
