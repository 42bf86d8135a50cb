# The three context providers, declared as the demo declares them. The order is the order of the
# chain: what never changes first, so that a prompt cache keeps it.
required_providers {
  claude-md  = { source = "github.com/agentco/context-claude-md", version = "~> 0.1" }
  agents-md  = { source = "github.com/agentco/context-agents-md", version = "~> 0.1" }
  git-status = { source = "github.com/agentco/context-git-status", version = "~> 0.1" }
}

# Today's public host calls this block "provider"; the protocol's own examples call it "context".
provider "claude-md" {
  path = "CLAUDE.md"
}

provider "agents-md" {
  glob = "**/AGENTS.md"
}

provider "git-status" {
  recent_commits = 3
}
