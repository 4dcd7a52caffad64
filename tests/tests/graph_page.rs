//! The page of `gxe graph`, operated in a headless browser. Skipped if none is installed.

use gxe_tests::Gxe;
use gxe_tests::browser::Browser;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The Enter key in the WebDriver protocol.
const ENTER: &str = "\u{e007}";

/// The page of an app of `tests/graph`.
fn page(folder: &Path, case: &str, arguments: &str) -> PathBuf {
    let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("graph");
    let file = folder.join(format!("{case}.html"));
    let line = format!("graph --app {case}.yaml {arguments} -o {}", file.display());
    _ = Gxe::in_folder(&apps).args(&line).run().with_status(0);
    file
}

/// The page of an app with this text.
fn page_of(folder: &Path, name: &str, app: &str, arguments: &str) -> PathBuf {
    let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("graph");
    let (file, page) = (folder.join(format!("{name}.yaml")), folder.join(format!("{name}.html")));
    std::fs::write(&file, app).unwrap();
    let line = format!("graph --app {} {arguments} -o {}", file.display(), page.display());
    _ = Gxe::in_folder(&apps).args(&line).run().with_status(0);
    page
}

/// Everything that the page shows, with its position, except labels, which depend on the scale.
const DRAWN: &str = "return [...document.querySelectorAll('.view *')].filter(\
    (element) => !element.closest('[style*=none], .labels')).map((element) => \
    [element.tagName, ...['transform', 'd', 'width', 'height', 'class'].map(\
    (name) => element.getAttribute(name))].join(' '))";

/// Number of visible elements that match a selector.
fn shown(browser: &Browser, selector: &str) -> u64 {
    let script = format!(
        "return [...document.querySelectorAll('{selector}')].filter(\
         (element) => getComputedStyle(element).display !== 'none').length"
    );
    browser.run(&script).as_u64().unwrap()
}

#[test]
fn an_entity_shows_what_is_in_it() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page(folder.path(), "measured", "--statistics parts/measured.json"));
    assert_eq!(shown(&browser, "#panel"), 0);
    browser.find("[data-node=\"1\"]").click();
    let text = browser.find("#panel").text();
    for expected in [
        "sink\nentity",
        "rate",
        "4.9 Hz",
        "in ≥ 2",
        "← source",
        "source/out → sink/in, 100 messages, 10 Hz, 2 lost",
        "nvidia::gxf::DoubleBufferReceiver",
        "capacity 4",
        "fill, most 3",
        "measured.yaml:10:20",
        "sink/in",
    ] {
        assert!(text.contains(expected), "no `{expected}` in:\n{text}");
    }
    // From there to its neighbour, and away.
    browser.find("#panel li a").click();
    assert!(browser.find("#panel").text().starts_with("×\nsource\n"));
    assert_eq!(browser.run("return document.querySelectorAll('.wire.chosen').length"), json!(2));
    browser.find("#panel .close").click();
    assert_eq!(shown(&browser, "#panel"), 0);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Only the name of a type and the content of the file are known.
#[test]
fn a_component_of_an_unknown_type_shows_what_the_file_says() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page(folder.path(), "unknown", "--manifest parts/manifest_absent.yaml"));
    browser.find("[data-node=\"0\"]").click();
    let text = browser.find("#panel").text();
    for expected in [
        "camera\nentity",
        "camera/out → detector/in",
        "no loaded extension has this type",
        "acme::Grabber",
        "signal out",
        "constructor [1, 2]",
    ] {
        assert!(text.contains(expected), "no `{expected}` in:\n{text}");
    }
    browser.find("#panel .close").click();
    browser.find("[data-node=\"2\"]").click();
    let text = browser.find("#panel").text();
    assert!(text.contains("title camera") && text.contains("toString camera"), "{text}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn subgraphs_fold_and_come_back_as_they_were() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page(folder.path(), "subgraphs", ""));
    let before = browser.run(DRAWN);
    assert_eq!((shown(&browser, ".node"), shown(&browser, ".group")), (5, 3));
    browser.find("[data-group=\"1\"] .sign").click();
    assert_eq!((shown(&browser, ".node"), shown(&browser, ".group")), (4, 3));
    browser.find("#fold").click();
    assert_eq!((shown(&browser, ".node"), shown(&browser, ".group")), (3, 1));
    assert_eq!(browser.find("#fold").text(), "Unfold all");
    // Finding something in a folded subgraph unfolds it.
    browser.find("#search").write("outer.second.worker");
    assert_eq!(browser.find("#found").text(), "1 found");
    browser.find("#search").write(ENTER);
    assert!(browser.find("#panel").text().contains("outer.second.worker\nentity"));
    assert_eq!((shown(&browser, ".node"), shown(&browser, ".group")), (4, 3));
    browser.find("#panel .close").click();
    browser.find("#search").write("\u{e00c}");
    browser.find("#fold").click();
    browser.find("#fold").click();
    let unmarked = "document.querySelectorAll('.group').forEach(\
                    (group) => group.classList.remove('holding', 'selected'));";
    assert_eq!(browser.run(&format!("{unmarked}{DRAWN}")), before);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// The page shows what gxe placed, and moves nothing as long as nothing is folded.
#[test]
fn the_page_draws_what_gxe_draws() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut pages: Vec<PathBuf> = ["cycle", "hostile", "subgraphs", "unknown"]
        .map(|case| page(folder.path(), case, ""))
        .into();
    pages.push(page(folder.path(), "measured", "--statistics parts/measured.json"));
    pages.push(page_of(folder.path(), "large", &large_app(), ""));
    for page in &pages {
        browser.open(page);
        for attribute in ["d", "transform"] {
            let shown = browser.run(&format!(
                "return elements('.node, .group, .wire').map((element) => \
                 element.getAttribute('{attribute}')).filter(Boolean)"
            ));
            assert_eq!(shown, json!(written(page, attribute)), "{}", page.display());
        }
    }
}

/// The values of an attribute of nodes, groups and wires in the text of a page.
fn written(page: &Path, attribute: &str) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let lines = text.lines().filter(|line| {
        ["<g class=\"node", "<g class=\"group", "<path class=\"wire"]
            .iter()
            .any(|beginning| line.starts_with(beginning))
    });
    let begin = format!(" {attribute}=\"");
    // A tag ends before its content begins.
    let tags = lines.filter_map(|line| line.split('>').next());
    let values = tags.filter_map(|tag| tag.split_once(&begin)?.1.split('"').next());
    values.map(str::to_owned).collect()
}

/// Whatever is folded: what is visible keeps its size, order and distances, groups hold what is
/// theirs, and wires end where they did.
#[test]
fn folding_only_takes_space_out() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page_of(folder.path(), "nested", &nested_app(), ""));
    let before = browser.run(DRAWN);
    for round in 0..20 {
        let wrong = browser.run(&format!(
            "const round = {round}; {}",
            "
            folded.forEach((_, group) => (folded[group] = (group * 7 + round * 5) % 11 < round / 2));
            redraw();
            const wrong = [];
            const holds = (outer, inner) => outer[0] <= inner[0] && outer[1] <= inner[1] &&
              inner[0] + inner[2] <= outer[0] + outer[2] + .1 &&
              inner[1] + inner[3] <= outer[1] + outer[3] + .1;
            shown.nodes.forEach((frame, node) => {
              const group = data.nodes[node].group;
              if (Boolean(frame) !== isOpen(group)) wrong.push(`${node} is hidden or not`);
              if (!frame) return;
              const outer = group === null ? [0, 0, ...shown.size] : shown.groups[group];
              if (!holds(outer, frame)) wrong.push(`${node} leaves its group`);
              shown.nodes.forEach((other, next) => other && [0, 1].forEach((axis) => {
                const [one, two] = [placed.nodes[node], placed.nodes[next]];
                if (one[axis] + one[axis + 2] <= two[axis] &&
                  frame[axis] + frame[axis + 2] > other[axis] + .1) wrong.push(`${node}, ${next}`);
              }));
            });
            shown.groups.forEach((frame, group) => {
              const outer = data.groups[group].parent;
              if (frame && outer !== null && !holds(shown.groups[outer], frame)) wrong.push(group);
            });
            // Where wires begin and end, from the nodes and groups that they touch.
            const ends = (curve) => {
              const numbers = curve.match(/-?[\\d.]+/g).map(Number);
              return [numbers.slice(0, 2), numbers.slice(-2)];
            };
            shown.curves.forEach((curve, wire) => curve && ends(curve).forEach((end, side) => {
              const [x, y] = ends(placed.curves[wire])[side];
              [...placed.nodes.entries()].forEach(([node, [left, top, width, height]]) => {
                const edge = side === 0 ? left + width : left;
                if (Math.abs(x - edge) > .1 || y < top || y > top + height) return;
                const now = shown.nodes[node];
                const same = [edge - left + now[0] - end[0], y - top + now[1] - end[1]];
                if (Math.hypot(...same) > .3) wrong.push(`wire ${wire} leaves ${node}`);
              });
            }));
            return wrong.slice(0, 9)"
        ));
        assert_eq!(wrong, json!([]), "round {round}");
    }
    let area = "return shown.size[0] * shown.size[1]";
    let _ = browser.run("folded.fill(false); redraw()");
    assert_eq!(browser.run(DRAWN), before);
    let open = browser.run(area).as_f64().unwrap();
    let _ = browser.run("folded.fill(true); redraw()");
    let closed = browser.run(area).as_f64().unwrap();
    assert!(closed < open / 2.0, "{open} → {closed}");
    assert_eq!(browser.complaints(), [""; 0]);
    // The command line folds the same way.
    let folded = browser.run(DRAWN);
    browser.open(&page_of(folder.path(), "nested", &nested_app(), "--fold 1"));
    assert_eq!(browser.run(DRAWN), folded);
}

/// Twelve subgraphs of two subgraphs each, and entities between them.
fn nested_app() -> String {
    let mut app = String::from(
        "name: scheduler\ncomponents: [{name: clock, type: nvidia::gxf::ManualClock}]\n",
    );
    for index in 0usize..12 {
        app.push_str(&format!(
            "---\nname: part_{index}\ncomponents:\n\
             - {{type: nvidia::gxf::Subgraph, parameters: {{location: parts/two_stages.yaml, \
             prerequisites: {{clock: scheduler/clock}}}}}}\n\
             ---\nname: after_{index}\ncomponents:\n\
             - {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
             - {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
             - {{type: nvidia::gxf::Connection, parameters: {{source: part_{index}/out, target: after_{index}/in}}}}\n\
             - {{type: nvidia::gxf::Connection, parameters: {{source: after_{}/out, target: part_{index}/in}}}}\n",
            index / 2,
        ));
    }
    app
}

/// 400 entities with forks, joins, cycles and long ways.
fn large_app() -> String {
    let mut app = String::new();
    for index in 0usize..400 {
        app.push_str(&format!(
            "name: entity_{index}\ncomponents:\n\
             - {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
             - {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
             - {{type: nvidia::gxf::Connection, parameters: {{source: entity_{}/out, target: in}}}}\n\
             - {{type: nvidia::gxf::Connection, parameters: {{source: out, target: entity_{}/in}}}}\n\
             ---\n",
            index.saturating_sub(index % 7 + 1),
            (index * 31 + 3) % 400,
        ));
    }
    app
}

/// From far away, names have the size of a label on a map, and none covers another.
#[test]
fn names_are_readable_from_far_away() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, app, at_least) in [("large", large_app(), 40), ("nested", nested_app(), 12)] {
        browser.open(&page_of(folder.path(), name, &app, ""));
        for _ in 0..3 {
            let found = browser.run(
                "const boxes = [...labels.children].map((label) => label.getBoundingClientRect());
                const covers = (one, other) => one !== other &&
                  Math.abs(one.x + one.width / 2 - other.x - other.width / 2) + 4 <
                    (one.width + other.width) / 2 &&
                  Math.abs(one.y - other.y) < 10;
                return [camera.scale, boxes.length, Math.min(...boxes.map(({height}) => height)),
                  boxes.filter((one) => boxes.some((other) => covers(one, other))).length]",
            );
            let [scale, count, height, covered] =
                [0, 1, 2, 3].map(|index| found[index].as_f64().unwrap());
            assert!(scale < 0.5 && count >= f64::from(at_least), "{name}: {found}");
            assert!(height > 10.0 && covered == 0.0, "{name}: {found}");
            let _ = browser.run("zoom(0.8)");
        }
        // Near enough, the cards have their own texts.
        let _ = browser.run("zoom(1 / camera.scale)");
        assert_eq!(browser.run("return labels.children.length"), json!(0));
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// What a search finds stands out, whatever else is selected.
#[test]
fn matches_stand_out_while_something_is_selected() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page(folder.path(), "subgraphs", ""));
    let far = "[...nodes].findIndex((node) => !node.matches('.near, .selected'))";
    browser.find("[data-node=\"0\"]").click();
    let opacity = |browser: &Browser, node: &str| {
        browser.run(&format!("return Number(getComputedStyle(nodes[{node}]).opacity)"))
    };
    assert!(opacity(&browser, far).as_f64() < Some(1.0));
    let name = browser.run(&format!("window.far = {far}; return data.nodes[window.far].name"));
    browser.find("#search").write(name.as_str().unwrap());
    assert_eq!(opacity(&browser, "window.far"), json!(1));
    assert_eq!(opacity(&browser, "0"), json!(1));
}

/// Texts of any length change neither the width of a card nor break in the middle of a word.
#[test]
fn long_texts_have_room() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    for (case, arguments) in
        [("measured", "--statistics parts/measured.json"), ("subgraphs", ""), ("hostile", "")]
    {
        browser.open(&page(folder.path(), case, arguments));
        let widths = "return new Set(elements('.entity .card, .resource .card').map(\
                      (card) => card.getAttribute('width'))).size";
        assert_eq!(browser.run(widths), json!(1), "{case}");
        // Every text of a card ends within it.
        let outside = "return elements('.entity text:not(.rate)').filter((text) => {
            const [inner, outer] = [text, text.closest('.node').querySelector('.card')].map(
              (element) => element.getBoundingClientRect());
            return inner.right > outer.right + 1 || inner.left < outer.left - 1;
          }).map((text) => text.textContent)";
        assert_eq!(browser.run(outside), json!([]), "{case}");
        if case == "hostile" {
            continue;
        }
        let nodes = browser.run("return nodes.length").as_u64().unwrap();
        for node in 0..nodes {
            let broken = browser.run(&format!(
                "chooseNode({node});
                const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
                const broken = [], range = document.createRange();
                while (texts.nextNode()) {{
                  for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {{
                    range.setStart(texts.currentNode, word.index);
                    range.setEnd(texts.currentNode, word.index + word[0].length);
                    const lines = new Set([...range.getClientRects()].map((line) => line.top));
                    if (lines.size > 1) broken.push(word[0]);
                  }}
                }}
                return broken"
            ));
            assert_eq!(broken, json!([]), "{case}, {node}");
        }
    }
}

#[test]
fn hostile_names_stay_names() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page(folder.path(), "hostile", ""));
    for node in 0..5 {
        browser.find(&format!("[data-node=\"{node}\"]")).click();
    }
    browser.find("[data-node=\"0\"]").click();
    let text = browser.find("#panel").text();
    for name in ["\"><script>document.title='taken'</script>", "</script><!--", "a\"b"] {
        assert!(text.contains(name), "{text}");
    }
    assert_eq!(browser.run("return document.title"), json!("hostile.yaml"));
    let counts = "return [document.scripts.length, document.images.length, \
                  document.querySelectorAll('#panel script, .view script').length]";
    assert_eq!(browser.run(counts), json!([2, 0, 0]));
    // The drawing alone is well-formed XML with the same content.
    let svg = "const text = new XMLSerializer().serializeToString(document.querySelector('svg')); \
               const parsed = new DOMParser().parseFromString(text, 'image/svg+xml'); \
               return parsed.querySelectorAll('parsererror').length";
    assert_eq!(browser.run(svg), json!(0));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn nothing_comes_from_the_network() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = page(folder.path(), "cycle", "");
    browser.open(&file);
    let fetched = browser.run("return performance.getEntriesByType('resource').length");
    assert_eq!(fetched, json!(0));
    // Not even if something tried to.
    let blocked = "return new Promise((done) => fetch('http://127.0.0.1:9/').then(\
                   () => done('fetched'), (error) => done(error.name)))";
    let _ = browser.run(
        "window.violations = []; document.addEventListener('securitypolicyviolation', \
         (event) => violations.push(event.effectiveDirective))",
    );
    assert_eq!(browser.run(blocked), json!("TypeError"));
    assert_eq!(browser.run("return violations"), json!(["connect-src"]));
}

#[test]
fn colours_follow_the_surroundings() {
    let folder = tempfile::tempdir().unwrap();
    let background = "return getComputedStyle(document.body).backgroundColor";
    let card = "return getComputedStyle(document.querySelector('.card')).fill";
    let (light, dark) = (json!("rgb(247, 248, 250)"), json!("rgb(18, 23, 29)"));
    let mut cards = Vec::new();
    for (is_dark, here, other) in [(false, &light, &dark), (true, &dark, &light)] {
        let Some(browser) = Browser::start(is_dark) else { return };
        browser.open(&page(folder.path(), "cycle", ""));
        assert_eq!(&browser.run(background), here);
        cards.push(browser.run(card));
        browser.find("#theme").click();
        assert_eq!(&browser.run(background), other);
        cards.push(browser.run(card));
    }
    assert_eq!((&cards[0], &cards[1]), (&cards[3], &cards[2]));
    assert_ne!(cards[0], cards[1]);
}

#[test]
fn the_view_moves_and_scales() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&page(folder.path(), "cycle", ""));
    let camera = "return [camera.x, camera.y, camera.scale]";
    let numbers = |browser: &Browser| -> Vec<f64> {
        let values = browser.run(camera);
        values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let fitted = numbers(&browser);
    browser.find("#larger").click();
    assert!(numbers(&browser)[2] > fitted[2]);
    let _ = browser.run(
        "const at = {clientX: 700, clientY: 800, pointerId: 1, bubbles: true}; \
         const to = {...at, clientX: 760, clientY: 830}; \
         canvas.dispatchEvent(new PointerEvent('pointerdown', at)); \
         window.dispatchEvent(new PointerEvent('pointermove', to)); \
         window.dispatchEvent(new PointerEvent('pointerup', to)); \
         canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: 200, clientX: 9, clientY: 9}))",
    );
    let moved = numbers(&browser);
    assert!(moved[2] < fitted[2] * 1.25);
    browser.find("#fit").click();
    assert_eq!(numbers(&browser), fitted);
}
