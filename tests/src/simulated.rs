//! Hosts of a fleet that exist at the broker alone.

use crate::mqtt::Mqtt;
use serde_json::{Value, json};

/// States that a simulated pane goes through.
const STATES: [&str; 3] = ["working", "waiting", "completed"];

/// Many hosts with as many panes each.
pub struct SimulatedHosts {
    mqtt: Mqtt,
    hosts: u64,
    panes: u64,
    /// Messages that were published.
    pub published: u64,
}

impl SimulatedHosts {
    /// Hosts that are not there yet.
    pub fn new(port: u16, hosts: u64, panes: u64) -> Self {
        Self { mqtt: Mqtt::connect(port, "simulated"), hosts, panes, published: 0 }
    }

    /// Every pane enters another state than in the round before, and every host says that it is there.
    pub fn round(&mut self, round: u64) {
        for host in 0..self.hosts {
            for index in 0..self.panes {
                let state = STATES[usize::try_from((host + index + round) % 3).expect("a third")];
                let n = round * self.panes + index;
                self.tell(&simulated_pane(&format!("host-{host}"), index, n, state));
            }
            self.one_is_here(host, round);
        }
    }

    /// Every host says that it is there, and what its panes' messages were in this round.
    pub fn are_here(&mut self, round: u64) {
        for host in 0..self.hosts {
            self.one_is_here(host, round);
        }
    }

    fn one_is_here(&mut self, host: u64, round: u64) {
        let sum = (0..self.panes).map(|index| round * self.panes + index).sum();
        self.tell(&simulated_presence(&format!("host-{host}"), self.panes, sum));
    }

    fn tell(&mut self, (topic, message): &(String, Value)) {
        self.mqtt.publish(topic, message.to_string().as_bytes(), true);
        self.published += 1;
    }
}

/// Topic and message of a pane in this state, the host's message number `n`.
pub fn simulated_pane(host: &str, index: u64, n: u64, state: &str) -> (String, Value) {
    let topic = format!("madohub/{host}/pane/tmux:default:%25{index}");
    let message = json!({
        "v": 1, "host": host, "n": n, "pane_index": index, "mux": "tmux",
        "server": "/tmp/tmux-1000/default", "session": "main", "window": 0, "window_name": "w",
        "pane": format!("%{index}"), "agent": "claude", "agent_name": null, "agent_version": null,
        "state": state, "state_source": "pty-scrape", "reason": null, "background": 0,
        "since": 1_796_000_000.0, "title": null, "cwd": null, "pid": 7, "model": null,
        "last_message": null,
    });
    (topic, message)
}

/// Topic and message by which a host says that it is there, with so many panes and the sum of their
/// messages' numbers.
pub fn simulated_presence(host: &str, panes: u64, sum: u64) -> (String, Value) {
    let message = json!({
        "v": 1, "host": host, "online": true, "instance": 1, "since": 1_796_000_000.0,
        "keep_alive": 600, "version": "0", "panes": panes, "sum": sum,
    });
    (format!("madohub/{host}/presence"), message)
}
