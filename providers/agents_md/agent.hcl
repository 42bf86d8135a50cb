# AGENTS.md files: the root's at once, the others when work reaches their directory.
required_providers {
  agents-md = { source = "github.com/agentco/context-agents-md", version = "~> 0.1" }
}

# Every attribute may be left out; an empty block is a complete configuration.
provider "agents-md" {
  exclude      = ["legacy/**"]
  token_budget = 1200

  # What is declared must be there, so this one waits for the file:
  # user_file = "~/.config/agents/AGENTS.md"
}
