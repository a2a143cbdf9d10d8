//! Likely duplicates, and merging them (docs/spec/completeness.md#duplicates).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{
    ContentService, DuplicateCount, DuplicateGroup, DuplicateItem, DuplicateService, MergePreview,
    MergeRequest,
};
use domain_catalogue::{Content, DuplicateReason, Kind, Stored, duplicate_reasons};
use domain_kernel::{
    Action, Code, ErrorKind, Id, Page,
    RoleCode::{Admin, ContentManager, Superadmin},
    Version, Violation, Violations,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{contents::noun, list_parameters::filter_schema};
use crate::{
    caller::AuthUser,
    extract::{Body, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

/// Number of groups of likely duplicates of a kind.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DuplicateCount")]
struct CountAnswer {
    /// Kind of content: `movies`, …
    kind: String,
    /// Common value of the items of a group.
    reason: DuplicateReason,
    /// Number of groups.
    count: u64,
}

/// A group of likely duplicates.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DuplicateGroup")]
struct GroupAnswer {
    /// What the items have in common: an ID of the film database, the title as the first item has it,
    /// or a URL, with masked credentials for users who may not change playlists. `null` for a URL that
    /// was changed meanwhile.
    value: Option<String>,
    /// The common year, of items with a common title.
    year: Option<i32>,
    /// The first twenty items, the oldest first.
    items: Vec<ItemAnswer>,
    /// Number of items.
    total: u64,
}

/// An item of a group, with fields to distinguish it from the others.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DuplicateItem")]
struct ItemAnswer {
    id: Id,
    version: Version,
    title: String,
    year: Option<i64>,
    /// ID in the film database.
    imdb_id: Option<String>,
    /// URL of the cover or logo.
    cover_image_url: Option<String>,
    /// Whether the item is shown to viewers.
    active: bool,
    /// Number of links; `null` for kinds without links.
    links: Option<usize>,
    /// Number of views.
    views: i64,
    /// The show of an episode; `null` for other kinds.
    show_id: Option<Id>,
    /// Title of that show.
    show_title: Option<String>,
    /// Season number of an episode.
    season_number: Option<i64>,
    /// Number of an episode in its season.
    episode_number: Option<i64>,
}

/// Preview of a merge of two items.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MergePreview{C}")]
struct PreviewAnswer<C> {
    /// The kept item in its current state.
    kept: Stored<C>,
    /// The item that is moved to the trash.
    merged: Stored<C>,
    /// The kept item after the merge, with the views of both.
    together: Stored<C>,
}

impl From<DuplicateItem> for ItemAnswer {
    fn from(item: DuplicateItem) -> Self {
        let field = |name: &str| item.fields.get(name);
        let number = |name: &str| field(name).and_then(Value::as_i64);
        let text = |name: &str| field(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            year: number("year"),
            imdb_id: text("imdbId"),
            cover_image_url: ["coverImageUrl", "imageUrl", "stationLogo"].into_iter().find_map(text),
            active: field("active").and_then(Value::as_bool).unwrap_or_default(),
            show_id: item.show_id(),
            season_number: number("seasonNumber"),
            episode_number: number("episodeNumber"),
            links: field("links").and_then(Value::as_array).map(Vec::len),
            id: item.id,
            version: item.version,
            title: item.title,
            show_title: item.show_title,
            views: item.views,
        }
    }
}

impl From<DuplicateGroup> for GroupAnswer {
    fn from(group: DuplicateGroup) -> Self {
        Self {
            value: group.value,
            year: group.year,
            items: group.items.into_iter().map(ItemAnswer::from).collect(),
            total: group.total,
        }
    }
}

impl From<DuplicateCount> for CountAnswer {
    fn from(count: DuplicateCount) -> Self {
        Self { kind: count.kind.path().to_owned(), reason: count.reason, count: count.count }
    }
}

pub(crate) fn register(api: &mut Api) {
    let count = api.schemas.response::<CountAnswer>();
    drop(
        api.route(Method::GET, "/completeness/duplicates", "countDuplicates", counts)
            .about("completeness", "Count groups of likely duplicates")
            .explained(
                "For each kind that the caller may change and delete, the number of groups of items with the \
                 same ID in the film database, the same title (ignoring case and accents) and year, or the same URL of a link or \
                 a stream.",
            )
            .requires_role(&[Superadmin, Admin, ContentManager])
            .answers(200, "The numbers.", json!({"type": "array", "items": count})),
    );
    macro_rules! publish {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            $(if !duplicate_reasons(domain_catalogue::Kind::$kind).is_empty() {
                publish_groups::<domain_catalogue::$type>(api);
                publish_merge::<domain_catalogue::$type>(api);
            })+
        };
    }
    domain_catalogue::for_each_kind!(publish);
}

/// Registers the list of likely duplicates of a kind.
fn publish_groups<C: Content>(api: &mut Api) {
    let (path, name) = (C::KIND.path(), C::KIND.singular());
    let shape = DuplicateService::list_shape();
    let group = api.schemas.response::<GroupAnswer>();
    let page = api.schemas.page_of("DuplicatePage", "A page of groups of likely duplicates.", &group);
    drop(
        api.route(Method::GET, &format!("/{path}/duplicates"), &format!("list{name}Duplicates"), list::<C>)
            .about(path, "List groups of likely duplicates")
            .explained("Ordered by the common value. Also needs the permission to delete.")
            .requires(C::KIND.permission(Action::Update))
            .pages(&shape)
            .requires_query("reason", filter_schema(shape.filters[0].1), "Common value of the items.")
            .answers(200, "A page of groups.", page)
            .fails(&[ErrorKind::Invalid]),
    );
}

/// Registers the routes for merging two items of a kind.
fn publish_merge<C: Content>(api: &mut Api) {
    let (path, name, noun) = (C::KIND.path(), C::KIND.singular(), noun(C::KIND.singular()));
    let preview = api.schemas.response::<PreviewAnswer<C>>();
    drop(
        api.route(
            Method::GET,
            &format!("/{path}/{{id}}/merge"),
            &format!("preview{name}Merge"),
            preview_merge::<C>,
        )
        .about(path, &format!("Preview merging another item into {noun}"))
        .explained("Nothing is changed. Also needs the permission to delete.")
        .requires(C::KIND.permission(Action::Update))
        .requires_query("mergedId", json!({"type": "integer", "minimum": 1}), "ID of the other item.")
        .answers(200, "Both items, and the result.", preview)
        .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    let request = api.schemas.request::<MergeRequest>();
    let response = api.schemas.response::<Stored<C>>();
    let links = if C::KIND == Kind::TvChannels { "streams" } else { "links" };
    drop(
        api.route(
            Method::POST,
            &format!("/{path}/{{id}}/merge"),
            &format!("merge{name}"),
            merge::<C>,
        )
        .about(path, &format!("Merge another item into {noun}"))
        .explained(&format!(
            "The item keeps its fields, and gets missing fields, further {links}, views \
             and reports from the other, which is moved to the trash. All in one transaction, for the versions in the \
             body. Also needs the permission to delete.",
        ))
        .requires(C::KIND.permission(Action::Update))
        .takes(request)
        .answers(200, "The current state.", response)
        .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict]),
    );
}

async fn counts(
    caller: AuthUser,
    service: Data<DuplicateService>,
) -> Result<Json<Vec<CountAnswer>>, Problem> {
    Ok(Json(service.count(&caller).await?.into_iter().map(CountAnswer::from).collect()))
}

async fn list<C: Content>(
    caller: AuthUser,
    service: Data<DuplicateService>,
    contents: Data<ContentService<C>>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<GroupAnswer>>>, Problem> {
    let page = service.list(&contents, &caller, &pairs.0).await?;
    Ok(Json(page.map(|groups| groups.into_iter().map(GroupAnswer::from).collect())))
}

async fn preview_merge<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    pairs: Pairs,
) -> Result<Json<PreviewAnswer<C>>, Problem> {
    let merged =
        pairs.0.iter().find(|(name, _)| name == "mergedId").and_then(|(_, value)| value.parse().ok());
    let fault = || application::Error::from(Violations(vec![Violation::new("mergedId", Code::Required)]));
    let MergePreview { kept, merged, together } =
        service.preview_merge(&caller, id.0, merged.ok_or_else(fault)?).await?;
    Ok(Json(PreviewAnswer { kept, merged, together }))
}

async fn merge<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    body: Body,
) -> Result<Json<Stored<C>>, Problem> {
    Ok(Json(service.merge_duplicate(&caller, id.0, &body.0).await?))
}
