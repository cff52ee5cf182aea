// Tells MadoHub what OpenCode does. Written by `madohub hook install opencode`, removed by
// `madohub hook uninstall opencode`.
import { spawn } from "node:child_process"

const MADOHUB = "@MADOHUB@"

function report(event, more) {
  try {
    const args = ["hook", event, "--agent", "opencode"]
    const child = spawn(MADOHUB, args, { stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(more ?? {}))
    child.unref()
  } catch {}
}

export const MadoHub = async () => {
  // Sessions of subagents end while their parent works on.
  const children = new Set()
  // After an error the session becomes idle as well.
  const failed = new Set()
  const ended = (session) => {
    if (!failed.has(session)) report("session.idle")
  }
  return {
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const session = about.sessionID ?? about.info?.id
      if (event.type === "session.created" && about.info?.parentID) children.add(session)
      if (children.has(session)) return
      switch (event.type) {
        case "session.status":
          if (about.status?.type === "idle") {
            // OpenCode 1.18.33 tells plugins of the end in this way alone.
            ended(session)
            break
          }
          failed.delete(session)
          report(event.type, { status: about.status?.type })
          break
        case "session.idle":
          ended(session)
          break
        case "session.error":
          failed.add(session)
          report(event.type, { error: about.error?.name })
          break
        case "permission.asked":
        case "permission.replied":
          report(event.type)
          break
      }
    },
  }
}
