//! The dashboard and a real zellij session.

use madohub_tests::{Madohub, ZellijOptions, ZellijStage, wait_for, wait_until};

#[test]
fn the_dashboard_shows_a_sessions_panes_and_takes_one_into_it() {
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![("claude-2.1.332", "working"), ("codex-0.171.0", "approval")],
        ..ZellijOptions::default()
    });
    stage.wait_states(&[(0, "working"), (1, "waiting")]);
    let madohub = Madohub::new(&stage.env);
    let program = madohub.program().to_string_lossy();
    stage.open("dash", &[&program, "dash"]);
    let shows = |text: &str| {
        wait_for(&format!("`{text}` on the dashboard"), || {
            let screen = stage.text("dash");
            if screen.contains(text) { Ok(()) } else { Err(screen) }
        });
    };
    shows("? 1 waiting  ● 1 working");
    // The chosen pane's screen, and why it has its state.
    shows("Press enter to confirm or esc to cancel");
    stage.type_keys("dash", &["e"]);
    shows("codex.");
    stage.type_keys("dash", &["s"]);
    shows("send terminal_1 TEXT");
    stage.agents[0].show("approval");
    shows("? 2 waiting");
    stage.type_keys("dash", &["Enter"]);
    wait_until(
        "the session in the terminal of the dashboard",
        || stage.text("dash"),
        |screen| screen.contains("┌ ") && !screen.contains("Enter go"),
    );
}
