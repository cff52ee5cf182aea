//! As much of Markdown as the documents use.

/// One document.
#[derive(Debug)]
pub(super) struct Document {
    /// Path from the checkout.
    pub(super) name: String,
    pub(super) blocks: Vec<Block>,
    /// Everything outside the blocks.
    pub(super) prose: String,
}

/// A fenced block.
#[derive(Debug)]
pub(super) struct Block {
    /// `README.md:12`, where it begins.
    pub(super) place: String,
    /// What stands behind the fence.
    pub(super) language: String,
    pub(super) text: String,
}

impl Document {
    pub(super) fn read(name: &str) -> Self {
        Self::parse(name, &super::text(name))
    }

    fn parse(name: &str, text: &str) -> Self {
        let mut document = Self { name: name.to_owned(), blocks: Vec::new(), prose: String::new() };
        let mut open: Option<Block> = None;
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), open.take()) {
                (Some(_), Some(block)) => document.blocks.push(block),
                (Some(language), None) => {
                    let place = format!("{name}:{}", number + 1);
                    let language = language.to_owned();
                    open = Some(Block { place, language, text: String::new() });
                }
                (None, Some(mut block)) => {
                    block.text.push_str(line);
                    block.text.push('\n');
                    open = Some(block);
                }
                (None, None) => {
                    document.prose.push_str(line);
                    document.prose.push('\n');
                }
            }
        }
        assert!(open.is_none(), "{name}: a block has no end");
        document
    }

    /// The blocks in this language.
    pub(super) fn blocks_in(&self, language: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.language == language)
    }

    /// What stands between backticks, on one line.
    pub(super) fn code_spans(&self) -> Vec<String> {
        let parts = self.prose.split('`').skip(1).step_by(2);
        parts.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Targets of links and pictures.
    pub(super) fn links(&self) -> Vec<String> {
        let targets = self.prose.split("](").skip(1);
        targets.filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
    }

    /// The names by which links point at headings.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings = self.prose.lines().filter(|line| line.starts_with('#'));
        headings
            .map(|line| {
                let kept = line.trim_start_matches('#').trim().to_lowercase();
                let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                kept.collect::<String>().replace(' ', "-")
            })
            .collect()
    }
}

impl Block {
    /// The command lines: every line of `sh`, the lines behind `$` of `console`, each with what the
    /// document shows as its output.
    pub(super) fn commands(&self) -> Vec<(String, String)> {
        let mut commands: Vec<(String, String)> = Vec::new();
        for line in self.text.lines() {
            match (self.language.as_str(), line.strip_prefix("$ ")) {
                ("sh", _) => commands.push((without_comment(line), String::new())),
                ("console", Some(command)) => {
                    commands.push((without_comment(command), String::new()));
                }
                ("console", None) => {
                    let (_, output) = commands.last_mut().expect("a command before its output");
                    output.push_str(line);
                    output.push('\n');
                }
                _ => {}
            }
        }
        commands.retain(|(command, _)| !command.is_empty());
        commands
    }
}

fn without_comment(line: &str) -> String {
    line.split("  #").next().unwrap_or_default().trim().to_owned()
}

#[test]
fn blocks_commands_and_spans_are_found() {
    let text = "# A b, `c`!\n`madohub\nlist` [x](y.md#z)\n```sh\na -b   # why\n\n```\n```console\n$ c\nout\n```\n";
    let document = Document::parse("x.md", text);
    let commands: Vec<_> = document.blocks.iter().flat_map(Block::commands).collect();
    assert_eq!(commands, [("a -b".into(), String::new()), ("c".into(), "out\n".into())]);
    assert_eq!(document.blocks[1].place, "x.md:8");
    assert_eq!(document.code_spans(), ["c", "madohub list"]);
    assert_eq!(
        (document.links(), document.anchors()),
        (vec!["y.md#z".into()], vec!["a-b-c".into()])
    );
}
