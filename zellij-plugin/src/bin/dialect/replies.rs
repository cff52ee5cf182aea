//! What zellij's library answers, as the plugin reads it.

use crate::Compared;
use crate::events::{contents, facts, pane, screen};
use madohub_zellij::wire;
use zellij_tile::prelude as zellij;
use zellij_tile::prelude::plugin_api::event::ProtobufPaneScrollbackResponse;
use zellij_tile::prelude::plugin_api::generated_api::api::plugin_command as api;
use zellij_tile::prelude::plugin_api::generated_api::api::plugin_command::{
    get_pane_pid_response::Result as Pid, get_pane_running_command_response::Result as Command,
};
use zellij_tile::prelude::plugin_api::plugin_ids::{ProtobufPluginIds, ProtobufZellijVersion};
use zellij_tile::prelude::{Message as _, PaneScrollbackResponse};

pub(crate) fn compare(compared: &mut Compared) {
    let text = |reply| {
        let reply = ProtobufPaneScrollbackResponse::try_from(reply).unwrap();
        wire::screen_reply(&reply.encode_to_vec())
    };
    let seen = PaneScrollbackResponse::Ok(contents(Some((0, 300))));
    compared.same("screen", text(seen), Ok(Some(screen(Some((0, 300))))));
    let seen = PaneScrollbackResponse::Ok(contents(None));
    compared.same("screen without a cursor", text(seen), Ok(Some(screen(None))));
    let gone = PaneScrollbackResponse::Err("no such pane".to_owned());
    compared.same("screen of no pane", text(gone), Ok(None));

    let place = |info: Option<zellij::PaneInfo>| {
        let pane_info = info.map(|info| info.try_into().unwrap());
        wire::place_reply(&api::GetPaneInfoResponse { pane_info }.encode_to_vec())
    };
    compared.same("place", place(Some(pane(7))), Ok(Some(facts(7, 0))));
    compared.same("place of no pane", place(None), Ok(None));

    let pid = |result| {
        let reply = api::GetPanePidResponse { result: Some(result) };
        wire::pid_reply(&reply.encode_to_vec())
    };
    compared.same("pid", pid(Pid::Pid(4_194_304)), Ok(Some(4_194_304)));
    compared.same("no pid", pid(Pid::Error("none".to_owned())), Ok(None));

    let command = |result| {
        let reply = api::GetPaneRunningCommandResponse { result: Some(result) };
        wire::command_reply(&reply.encode_to_vec())
    };
    let args = vec!["node".to_owned(), String::new(), "é".to_owned()];
    let running = Command::Command(api::RunningCommand { args: args.clone() });
    compared.same("command", command(running), Ok(Some(args)));
    compared.same("no command", command(Command::Error("none".to_owned())), Ok(None));

    let ids = zellij::PluginIds {
        plugin_id: 3,
        zellij_pid: 70_000,
        initial_cwd: "/".into(),
        client_id: 300,
    };
    let ids = ProtobufPluginIds::try_from(ids).unwrap().encode_to_vec();
    compared.same("ids", wire::ids_reply(&ids), Ok((3, 300, 70_000)));
    let version = ProtobufZellijVersion { version: "0.45.1".to_owned() }.encode_to_vec();
    compared.same("version", wire::version_reply(&version), Ok("0.45.1".to_owned()));
}
