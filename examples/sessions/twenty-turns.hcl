# The three context providers with room for updates beside the originals: what benchmarks/bench_prefix.py measures.
required_providers {
  claude-md  = { source = "github.com/agentco/context-claude-md", version = "~> 0.1" }
  agents-md  = { source = "github.com/agentco/context-agents-md", version = "~> 0.1" }
  git-status = { source = "github.com/agentco/context-git-status", version = "~> 0.1" }
}

provider "claude-md" {
  token_budget = 6000
}

provider "agents-md" {
  token_budget = 5000
}

provider "git-status" {
  token_budget = 500
}
